import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { storeCompiledCode } from './compiled-code.js';
import { imageFiles, readBundles } from './image-files.js';

/**
 * Copies the files of the image from the built project into a folder, and stores the compiled code of the programs there.
 *
 *   node dist/deploy/docker/assemble-image.js <folder>
 */
const [, , folder] = process.argv;
if (folder === undefined) throw new Error('Usage: assemble-image.js <folder>');

const root = process.cwd();
for (const file of await imageFiles(root)) {
  const copy = path.join(folder, file);
  mkdirSync(path.dirname(copy), { recursive: true });
  copyFileSync(path.join(root, file), copy);
  // The account of the programs reads them, whatever the modes of the clone are.
  chmodSync(copy, 0o644);
}
const dataDir = mkdtempSync(path.join(tmpdir(), 'carillon-image-'));
try {
  const { programs } = readBundles(root);
  for await (const line of storeCompiledCode(folder, programs, dataDir)) console.log(line);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
