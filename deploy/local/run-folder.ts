import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from './other-processes.js';

const PREFIX = 'carillon-test-';
const LAUNCHER = new RegExp(`^${PREFIX}(\\d+)-`);

/**
 * Creates a folder for a test run, with the id of this process in its name, so that the next run can detect a stale one. Removes
 * the folders of runs whose launcher was killed.
 */
export function makeRunFolder(): string {
  removeLeftFolders();
  const folder = mkdtempSync(path.join(tmpdir(), `${PREFIX}${process.pid}-`));
  // As root, the database runs as another account, which must enter the folder.
  chmodSync(folder, 0o711);
  return folder;
}

/** The tests of a run that goes on have folders with the same prefix, without the id of a process. */
function removeLeftFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const launcher = LAUNCHER.exec(name)?.[1];
    if (launcher === undefined || isAlive(Number(launcher))) continue;
    const folder = path.join(tmpdir(), name);
    const isOurs = lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOurs) rmSync(folder, { recursive: true, force: true });
  }
}
