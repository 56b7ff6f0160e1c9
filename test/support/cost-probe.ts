/**
 * Loaded into a program before its own code (`node --import`): answers the message `cost` of the parent process with
 * the cost of the program since the last such message.
 */

/** The message of the parent process. */
export type CostQuestion = 'cost';

/** The cost of a program during a period, in milliseconds. */
export interface ProgramCost {
  readonly cpuMs: number;
  /**
   * The longest time for which the event loop was blocked; at most `cpuMs`, to exclude the time of waiting for a CPU.
   */
  readonly heldMs: number;
  /** The most memory that the program had (resident set size), in bytes. */
  readonly peakBytes: number;
}

const INTERVAL_MS = 2;

let timer: NodeJS.Timeout | undefined;
let before = process.cpuUsage();
let lastTurnAt = 0;
let longestMs = 0;
let peakBytes = 0;

// `monitorEventLoopDelay` misses a blocked loop if the block starts within one interval after a reset.
function startTimer(): NodeJS.Timeout {
  lastTurnAt = performance.now();
  return setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastTurnAt - INTERVAL_MS);
    lastTurnAt = now;
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, INTERVAL_MS).unref();
}

function answer(): void {
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  process.send?.({ cpuMs, heldMs: Math.min(cpuMs, longestMs), peakBytes } satisfies ProgramCost);
  longestMs = 0;
  peakBytes = process.memoryUsage.rss();
  before = process.cpuUsage();
}

process.on('message', (message) => {
  if (message !== 'cost') return;
  timer ??= startTimer();
  // In the second turn of the event loop the timer has measured the last work.
  setImmediate(() => setImmediate(answer));
});
// The IPC channel must not keep the program running.
process.channel?.unref();
