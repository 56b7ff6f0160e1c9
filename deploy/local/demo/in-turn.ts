import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError } from '../command.js';
import { commandLineOf, isAlive } from '../other-processes.js';
import type { Narrator } from './narrator.js';

const POLL_MS = 250;
/** A demonstration takes up to two minutes, and several may wait. */
const DEADLINE_MS = 600_000;

/**
 * Does the work when no other demonstration runs on this data folder: the same people tell them all, and
 * one would take away the key that another signs with. Rejects with LocalStackError when the other does not
 * end.
 */
export async function inTurn(
  dataDir: string,
  narrator: Narrator,
  work: () => Promise<void>,
): Promise<void> {
  const file = path.join(dataDir, 'demo.pid');
  await take(file, narrator);
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

async function take(file: string, narrator: Narrator): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  for (let tries = 1; performance.now() < deadline; tries += 1) {
    if (isTaken(file)) return;
    if (tries === 1) {
      narrator.title('Another demonstration runs here. This one begins when it ends.');
    }
    await delay(POLL_MS);
  }
  throw new LocalStackError(
    `Another demonstration has run here for ${DEADLINE_MS / 60_000} minutes. End it, or remove ${file} where there is none, and run this again.`,
  );
}

/** Whether the file is ours now: of several that try at once, one can make it. */
function isTaken(file: string): boolean {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    if (!isLeftBehind(file)) return false;
    rmSync(file, { force: true });
    return isTaken(file);
  }
}

/** Of a demonstration that was killed; its id may belong to anything by now. */
function isLeftBehind(file: string): boolean {
  const holder = holderOf(file);
  // It has just ended, or just begun and not yet said who it is.
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
