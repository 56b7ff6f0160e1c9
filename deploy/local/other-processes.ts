import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { waitUntil } from './wait-until.js';

/** Whether a process of this id exists, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The command line of a process, for people and to tell whose it is; empty when it cannot be read. */
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
 * Ends a server that an earlier launcher left behind, and removes its pid file.
 *
 * The id may belong to something else by now: only a process whose command line contains `mark` is ended.
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
