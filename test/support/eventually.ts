import { setTimeout as delay } from 'node:timers/promises';

const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 100;
/** A longer wait has longer pauses, because checks take time from the processes that they wait for. */
const PAUSE_SHARE = 0.1;
/** Generous: only a failing test waits so long, and a busy machine is no failure. */
const DEADLINE_MS = 60_000;

/**
 * Repeats a check until it passes, and resolves with its result. After the deadline it rejects with the last failure of
 * the check. Use it for effects in another process, which a test can only poll.
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  deadlineMs = DEADLINE_MS,
): Promise<Result> {
  const beganAt = performance.now();
  for (;;) {
    try {
      return await check();
    } catch (failure) {
      if (performance.now() > beganAt + deadlineMs) throw failure;
    }
    const pauseMs = (performance.now() - beganAt) * PAUSE_SHARE;
    await delay(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pauseMs)));
  }
}
