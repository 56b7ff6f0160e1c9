import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError } from '../command.js';
import { commandLineOf, isAlive } from '../other-processes.js';
import type { DemoPrinter } from './demo-printer.js';

const POLL_MS = 250;
/** A demonstration takes up to two minutes, and several may wait. */
const DEADLINE_MS = 600_000;

/**
 * Does the work when no other demonstration runs on this data folder: all demonstrations use the same accounts, and one
 * replaces the API key of another. Rejects with LocalStackError if the other one does not end.
 */
export async function inTurn(
  dataDir: string,
  printer: DemoPrinter,
  work: () => Promise<void>,
): Promise<void> {
  const file = path.join(dataDir, 'demo.pid');
  await take(file, printer);
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

async function take(file: string, printer: DemoPrinter): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (let tries = 1; performance.now() < deadline; tries += 1) {
    if (tryLock(file)) return;
    if (tries === 1) {
      printer.title('Another demonstration runs here. This one begins when it ends.');
    }
    await delay(POLL_MS);
  }
  throw new LocalStackError(
    `Another demonstration has run here for ${DEADLINE_MS / 60_000} minutes. End it, or remove ${file} if no demonstration runs, and start this one again.`,
  );
}

/** Whether this process holds the lock now: only one process can create the file. */
function tryLock(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!isStale(file)) return false;
    rmSync(file, { force: true });
    return tryLock(file);
  }
}

/** The lock of a killed demonstration. Another program may have its process id now. */
function isStale(file: string): boolean {
  const holder = holderOf(file);
  // The other process is about to write or to remove the file.
  if (!(holder > 0)) return false;
  return !isAlive(holder) || !/bootstrap|^$/.test(commandLineOf(holder));
}

function holderOf(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return Number.NaN;
  }
}

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
