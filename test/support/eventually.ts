import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;
const DEADLINE_MS = 15_000;

/**
 * Repeats a check until it passes, and resolves with its result. After the deadline it rejects with the last failure of
 * the check. Use it for effects in another process, which a test can only poll.
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
