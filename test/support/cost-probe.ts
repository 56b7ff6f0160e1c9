/**
 * Loaded into a program before its own code (`node --import`): answers the messages `cost` and `last cost` of the parent
 * process with the cost of the program since the message before.
 */

import { getHeapSpaceStatistics } from 'node:v8';
import { busyClockOf } from './busy-clock.js';

/** The messages of the parent process. The second ends the measurement until the next first one. */
export type CostQuestion = 'cost' | 'last cost';

/** The cost of a program during a period, in milliseconds. */
export interface ProgramCost {
  readonly cpuMs: number;
  /**
   * The longest time for which the event loop was blocked, without the time of waiting for a CPU: on Linux the CPU time of the
   * main thread, elsewhere at most `cpuMs`.
   */
  readonly heldMs: number;
  /** The memory of the program now (resident set size), in bytes. */
  readonly bytes: number;
  /** The most memory that the program had (resident set size), in bytes. */
  readonly peakBytes: number;
  /** What that memory consisted of, in bytes by part. */
  readonly peakParts: Readonly<Record<string, number>>;
}

const INTERVAL_MS = 2;

const ownClock = busyClockOf('self');
/** A clock in milliseconds that stands while the main thread waits, where the system has one. */
const busyClock = ownClock ?? (() => performance.now());
/** What passes on that clock between two turns without work. */
const IDLE_MS = ownClock === null ? INTERVAL_MS : 0;

let timer: NodeJS.Timeout | undefined;
let before = process.cpuUsage();
let lastTurnAt = 0;
let longestMs = 0;
let peakBytes = 0;
let peakParts: ProgramCost['peakParts'] = {};

/** A smaller growth of the peak is not worth looking at its parts. */
const NOTED_GROWTH = 1.01;
const YOUNG = new Set(['new_space', 'new_large_object_space']);

/** The parts of the memory of this process. */
function partsOf(rss: number): ProgramCost['peakParts'] {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  let young = 0;
  let old = 0;
  for (const { space_name, physical_space_size } of getHeapSpaceStatistics()) {
    if (YOUNG.has(space_name)) young += physical_space_size;
    else old += physical_space_size;
  }
  const others = rss - young - old - arrayBuffers;
  return { rss, young, old, 'heap in use': heapUsed, buffers: arrayBuffers, others };
}

function notePeak(): void {
  const bytes = process.memoryUsage.rss();
  if (bytes > (peakParts['rss'] ?? 0) * NOTED_GROWTH) peakParts = partsOf(bytes);
  peakBytes = Math.max(peakBytes, bytes);
}

// `monitorEventLoopDelay` misses a blocked loop if the block starts within one interval after a reset.
function startTimer(): NodeJS.Timeout {
  lastTurnAt = busyClock();
  return setInterval(() => {
    const now = busyClock();
    longestMs = Math.max(longestMs, now - lastTurnAt - IDLE_MS);
    lastTurnAt = now;
    notePeak();
  }, INTERVAL_MS).unref();
}

/** A program with this timer is never idle, and V8 then returns little memory. */
function stopTimer(): void {
  clearInterval(timer);
  timer = undefined;
}

function answer(): void {
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  const bytes = process.memoryUsage.rss();
  const heldMs = Math.min(cpuMs, longestMs);
  process.send?.({ cpuMs, heldMs, bytes, peakBytes, peakParts } satisfies ProgramCost);
  longestMs = 0;
  peakBytes = bytes;
  peakParts = partsOf(bytes);
  before = process.cpuUsage();
}

process.on('message', (message) => {
  if (message !== 'cost' && message !== 'last cost') return;
  timer ??= startTimer();
  // In the second turn of the event loop the timer has measured the last work.
  setImmediate(() => setImmediate(answer));
  if (message === 'last cost') stopTimer();
});
// The IPC channel must not keep the program running.
process.channel?.unref();
