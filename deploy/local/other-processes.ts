import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from './command.js';
import type { Lifetime } from './lifetime.js';
import { waitUntil } from './wait-until.js';

/** Whether a process with this id exists, under any account. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The command line of a process; empty if it cannot be read. */
export function commandLineOf(pid: number): string {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return '';
  }
}

/**
 * Ends a server of a killed launcher, and removes its pid file.
 *
 * Only a process whose command line contains `mark` is ended, because another program may have the same id now.
 */
export async function endLeftover(
  pidFile: string,
  mark: string,
  signal: NodeJS.Signals,
): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  if (pid > 0 && pid !== process.pid && commandLineOf(pid).includes(mark)) {
    process.kill(pid, signal);
    await waitUntil(`process ${pid} ends`, async () => !isAlive(pid), 30_000);
  }
  rmSync(pidFile, { force: true });
}

/**
 * Locks a data folder for this process until its end; throws LocalStackError when another launcher holds the lock. The
 * lock of a killed launcher is ignored.
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
  // Of two concurrent launchers the second one fails here.
  writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
  lifetime.defer(async () => rmSync(file, { force: true }));
}

/** The process id of a dead launcher may belong to another program now. */
function isLauncher(pid: number): boolean {
  return isAlive(pid) && /bootstrap|^$/.test(commandLineOf(pid));
}
