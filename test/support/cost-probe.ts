/**
 * Loaded into a program before its own code (`node --import`): answers the message `cost` of the parent
 * process with what the program has cost since the last such message.
 */

/** What the parent process sends. */
export type CostQuestion = 'cost';

/** What a program cost in some time, in milliseconds. */
export interface ProgramCost {
  readonly cpuMs: number;
  /** The longest time that the event loop was held; at most `cpuMs`, so that waiting for a CPU does not count. */
  readonly heldMs: number;
}

const INTERVAL_MS = 2;

let timer: NodeJS.Timeout | undefined;
let before = process.cpuUsage();
let lastTurnAt = 0;
let longestMs = 0;

// `monitorEventLoopDelay` misses what begins within an interval of its reset.
function startTimer(): NodeJS.Timeout {
  lastTurnAt = performance.now();
  return setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - lastTurnAt - INTERVAL_MS);
    lastTurnAt = now;
  }, INTERVAL_MS).unref();
}

function answer(): void {
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  process.send?.({ cpuMs, heldMs: Math.min(cpuMs, longestMs) } satisfies ProgramCost);
  longestMs = 0;
  before = process.cpuUsage();
}

process.on('message', (message) => {
  if (message !== 'cost') return;
  timer ??= startTimer();
  // By the second turn of the event loop the timer has seen how long the last work took.
  setImmediate(() => setImmediate(answer));
});
// The channel alone is no reason for the program to go on.
process.channel?.unref();
