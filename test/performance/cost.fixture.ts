import type { ProgramCost } from '../support/cost-probe.js';

/** How much more than four times as much an input of four times the size may cost, for all that varies. */
const SLACK = 2.5;
const MOST_RUNS = 5;
/** After so many faults the rest is not run: each takes many slow runs. */
const MOST_FAULTS = 3;

/** What one run cost, as CPU time: other processes of a busy machine do not add to it. */
export type Cost = ProgramCost;

/** Runs an input of a share of the largest allowed size: 1 for all of it. */
export type Run = (share: number) => Cost | Promise<Cost>;

/** The cost of synchronous work, which holds the event loop for as long as it runs. */
export function costOf(work: () => unknown): Cost {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  return { cpuMs, heldMs: cpuMs };
}

/** An input with what it may cost. */
export interface MeasuredInput {
  readonly name: string;
  readonly run: Run;
  /** An event loop that is held for longer makes everybody else wait. */
  readonly longestHoldMs: number;
}

/**
 * The first inputs that cost too much, each with what is wrong: it holds the event loop, or its cost is out
 * of proportion to that of an input of a quarter of its size. Each cost is the least of several runs. A cost
 * below `floorMs` is never out of proportion: it says more about the machine than about the code.
 */
export async function faultsAmong(
  inputs: readonly MeasuredInput[],
  floorMs: number,
): Promise<string[]> {
  const faults: string[] = [];
  for (const input of inputs) {
    const fault = await faultOf(input, floorMs);
    if (fault !== null) faults.push(`${input.name}: ${fault}`);
    if (faults.length === MOST_FAULTS) break;
  }
  return faults;
}

async function faultOf({ run, longestHoldMs }: MeasuredInput, floorMs: number) {
  const full = await leastOf(() => run(1), Math.min(floorMs, longestHoldMs));
  if (full.heldMs > longestHoldMs) return `holds the event loop for ${rounded(full.heldMs)} ms`;
  if (full.cpuMs <= floorMs) return null;
  const quarter = await leastOf(() => run(1 / 4), 0);
  return full.cpuMs > 4 * quarter.cpuMs * SLACK
    ? `takes ${rounded(quarter.cpuMs)} ms at a quarter of the size and ${rounded(full.cpuMs)} ms at all of it`
    : null;
}

async function leastOf(run: () => Cost | Promise<Cost>, enoughMs: number): Promise<Cost> {
  let least: Cost = { cpuMs: Number.POSITIVE_INFINITY, heldMs: Number.POSITIVE_INFINITY };
  for (let runs = 0; runs < MOST_RUNS && least.cpuMs > enoughMs; runs += 1) {
    const { cpuMs, heldMs } = await run();
    least = { cpuMs: Math.min(least.cpuMs, cpuMs), heldMs: Math.min(least.heldMs, heldMs) };
  }
  return least;
}

const rounded = (ms: number): string => ms.toFixed(1);
