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
   * The longest time for which the event loop was blocked; at most the CPU time of the program meanwhile, to exclude the time of
   * waiting for a CPU.
   */
  readonly heldMs: number;
  /** The most memory that the program had (resident set size), in bytes. */
  readonly peakBytes: number;
}

const INTERVAL_MS = 2;

let timer: NodeJS.Timeout | undefined;
let before = process.cpuUsage();
let lastTurnAt = 0;
let lastTurnCpu = before;
let longestMs = 0;
let peakBytes = 0;

// `monitorEventLoopDelay` misses a blocked loop if the block starts within one interval after a reset.
function startTimer(): NodeJS.Timeout {
  lastTurnAt = performance.now();
  lastTurnCpu = process.cpuUsage();
  return setInterval(() => {
    const now = performance.now();
    const heldMs = Math.min(now - lastTurnAt - INTERVAL_MS, millisecondsOf(lastTurnCpu));
    longestMs = Math.max(longestMs, heldMs);
    lastTurnAt = now;
    lastTurnCpu = process.cpuUsage();
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  }, INTERVAL_MS).unref();
}

/** The CPU time since a measurement. */
function millisecondsOf(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

function answer(): void {
  const cpuMs = millisecondsOf(before);
  process.send?.({ cpuMs, heldMs: longestMs, peakBytes } satisfies ProgramCost);
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
