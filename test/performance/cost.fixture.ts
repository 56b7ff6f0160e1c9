import type { ProgramCost } from '#test/cost-probe';

/** The allowed factor beyond linear growth, because measurements vary. */
const SLACK = 2.5;
const MAX_RUNS = 5;
/**
 * An input is done after one run and this many at a quarter of the size, if the cost is then clearly linear: a cost that
 * grows with the square of the size has a factor of 4 instead of this slack.
 */
const EARLY_RUNS = 2;
const EARLY_SLACK = 1.25;
/** Stops after this many faults, because each takes many slow runs. */
const MAX_FAULTS = 3;

/** The cost of one run, as CPU time, which excludes other processes of a busy machine. */
export type Cost = ProgramCost;

/** Runs an input of a share of the largest allowed size; 1 is the full size. */
export type Run = (share: number) => Cost | Promise<Cost>;

/** The cost of synchronous work, which blocks the event loop for its whole duration. */
export function costOf(work: () => unknown): Cost {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  return { cpuMs, heldMs: cpuMs };
}

/** The allowed cost beside that of ordinary input of the same size. */
const ORDINARY_FACTOR = 2.5;

/** An input with its limit. */
export interface MeasuredInput {
  readonly name: string;
  readonly run: Run;
  /** The longest allowed time for which the event loop is blocked. */
  readonly longestHoldMs: number;
  /**
   * An ordinary input of the same size. The growth alone says too little where a limit changes the result between a
   * quarter of the size and the full size, so an input must also cost more than a multiple of this one.
   */
  readonly ordinary?: Run;
}

/**
 * The first inputs that cost too much, with the reason: the event loop is blocked for too long, or the cost grows
 * faster than the input between a quarter of the size and the full size. Each cost is the minimum of several runs. A
 * cost below `floorMs` may grow freely, because it is mostly measurement noise.
 */
export async function faultsAmong(
  inputs: readonly MeasuredInput[],
  floorMs: number,
): Promise<string[]> {
  const faults: string[] = [];
  for (const input of inputs) {
    const fault = await faultOf(input, floorMs);
    if (fault !== null) faults.push(`${input.name}: ${fault}`);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

async function faultOf(input: MeasuredInput, floorMs: number): Promise<string | null> {
  const { run, longestHoldMs, ordinary } = input;
  const enoughMs = Math.min(floorMs, longestHoldMs);
  const first = await run(1);
  if (first.cpuMs <= floorMs && first.heldMs <= longestHoldMs) return null;
  const early = await leastOf(() => run(1 / 4), EARLY_RUNS);
  if (first.heldMs <= longestHoldMs && isLinear(first, early, EARLY_SLACK)) return null;
  const full = least(first, await leastOf(() => run(1), MAX_RUNS - 1, enoughMs));
  if (full.heldMs > longestHoldMs) return `holds the event loop for ${rounded(full.heldMs)} ms`;
  if (full.cpuMs <= floorMs) return null;
  const quarter = least(early, await leastOf(() => run(1 / 4), MAX_RUNS - EARLY_RUNS));
  if (isLinear(full, quarter, SLACK)) return null;
  const usual = ordinary === undefined ? null : await leastOf(() => ordinary(1), MAX_RUNS);
  if (usual !== null && full.cpuMs <= usual.cpuMs * ORDINARY_FACTOR) return null;
  return `takes ${rounded(quarter.cpuMs)} ms at a quarter of the size and ${rounded(full.cpuMs)} ms at all of it`;
}

const isLinear = (full: Cost, quarter: Cost, slack: number): boolean =>
  full.cpuMs <= 4 * quarter.cpuMs * slack;

/** The least cost of a number of runs, or of fewer if it is low enough. */
async function leastOf(run: () => Cost | Promise<Cost>, runs: number, enoughMs = 0): Promise<Cost> {
  let found = await run();
  for (let more = 1; more < runs && found.cpuMs > enoughMs; more += 1) {
    found = least(found, await run());
  }
  return found;
}

const least = (one: Cost, other: Cost): Cost => ({
  cpuMs: Math.min(one.cpuMs, other.cpuMs),
  heldMs: Math.min(one.heldMs, other.heldMs),
});

const rounded = (ms: number): string => ms.toFixed(1);
