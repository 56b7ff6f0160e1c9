import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from './command.js';
import type { Lifetime } from './lifetime.js';
import { commandLineOf, isAlive } from './other-processes.js';

/**
 * Takes a data folder for this process until its end; throws LocalStackError when another launcher
 * has it. The lock of a launcher that was killed does not count.
 */
export function lockDataFolder(folder: string, lifetime: Lifetime): void {
  const file = path.join(folder, 'launcher.pid');
  const holder = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
  if (holder > 0 && holder !== process.pid && isLauncher(holder)) {
    throw new LocalStackError(
      `Carillon already runs with the data in ${folder} (process ${holder}).\n` +
        'Stop that one, or set DATA_DIR to another folder, and the ports to others.',
    );
  }
  rmSync(file, { force: true });
  // Fails for the slower of two that come at the same moment.
  writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
  lifetime.defer(async () => rmSync(file, { force: true }));
}

/** The id of a launcher that died may belong to anything by now. */
function isLauncher(pid: number): boolean {
  return isAlive(pid) && /bootstrap|^$/.test(commandLineOf(pid));
}
