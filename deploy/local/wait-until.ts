import { setTimeout as delay } from 'node:timers/promises';
import { LocalStackError } from './command.js';

const POLL_MS = 50;

/** Polls until the condition is true; rejects with LocalStackError after the deadline. */
export async function waitUntil(
  what: string,
  isTrue: () => Promise<boolean>,
  deadlineMs: number,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      throw new LocalStackError(`After ${deadlineMs / 1000} s still waiting: ${what}.`);
    }
    await delay(POLL_MS);
  }
}
