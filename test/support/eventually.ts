import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;
const DEADLINE_MS = 15_000;

/**
 * Repeats a check until it passes and resolves with its result; after the deadline it rejects with the
 * check's last failure. For what happens in another process, which a test can only ask again.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  deadlineMs = DEADLINE_MS,
): Promise<Result> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      if (performance.now() > deadline) throw failure;
    }
    await delay(POLL_MS);
  }
}
