import type { ProgramCost } from '#test/cost-probe';

/** The allowed factor beyond linear growth, because measurements vary. */
const SLACK = 2.5;
/**
 * The full size and a quarter of it are measured in turns: code that is compiled meanwhile, or a pause of the machine, then
 * affects both.
 */
const MAX_ROUNDS = 10;
/**
 * Before the last round an input is accepted if its cost is clearly linear: a cost that grows with the square of the size
 * has a factor of 4 instead of this slack.
 */
const EARLY_SLACK = 1.25;
/** Stops after this many faults, because each takes many slow runs. */
const MAX_FAULTS = 3;

/** The cost of one run, as CPU time, which excludes other processes of a busy machine. */
export type Cost = Pick<ProgramCost, 'cpuMs' | 'heldMs'>;

/** Runs an input of a share of the largest allowed size; 1 is the full size. */
type Run = (share: number) => Cost | Promise<Cost>;

/** The cost of synchronous work, which blocks the event loop for its whole duration. */
export function costOf(work: () => unknown): Cost {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  return { cpuMs, heldMs: cpuMs };
}

/** The CPU time of `referenceWork` on the machine that the limits in milliseconds are for, a core of an AMD EPYC. */
const REFERENCE_MS = 40;
const REFERENCE_RUNS = 20;

/** Makes, searches and replaces texts, as the measured code does. */
function referenceWork(): number {
  let found = 0;
  for (let turn = 0; turn < 400; turn += 1) {
    const words = Array.from({ length: 200 }, (_, index) => `${turn * index} word`);
    const text = words.join(' ').replaceAll(/[3-7]+/g, (digits) => `<${digits}>`);
    found += new Map(text.split(' ').map((word) => [word, word.length])).size;
  }
  return found;
}

let measuredSlowness: number | undefined;

/** How many times slower this machine is than the one that the limits are for; at least 1. */
export function slowness(): number {
  measuredSlowness ??= Math.min(
    ...Array.from({ length: REFERENCE_RUNS }, () => costOf(referenceWork).cpuMs / REFERENCE_MS),
  );
  return Math.max(1, measuredSlowness);
}

/** The allowed cost beside that of ordinary input of the same size. */
const ORDINARY_FACTOR = 2.5;

/** An input with its limit. */
interface MeasuredInput {
  readonly name: string;
  readonly run: Run;
  /** The longest allowed time for which the event loop is blocked, on the machine of `REFERENCE_MS`. */
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
 * cost below `floorMs` may grow freely, because it is mostly measurement noise. A slower machine gets more time.
 */
export async function faultsAmong(
  inputs: readonly MeasuredInput[],
  floorMs: number,
): Promise<string[]> {
  const faults: string[] = [];
  for (const input of inputs) {
    const longestHoldMs = input.longestHoldMs * slowness();
    const fault = await faultOf({ ...input, longestHoldMs }, floorMs * slowness());
    if (fault !== null) faults.push(`${input.name}: ${fault}`);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

async function faultOf(input: MeasuredInput, floorMs: number): Promise<string | null> {
  const { run, longestHoldMs, ordinary } = input;
  let full = await run(1);
  let quarter: Cost | null = null;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    if (full.heldMs <= longestHoldMs && full.cpuMs <= floorMs) return null;
    quarter = leastOf(quarter, await run(1 / 4));
    if (full.heldMs <= longestHoldMs && isLinear(full, quarter, EARLY_SLACK)) return null;
    full = leastOf(full, await run(1));
  }
  if (full.heldMs > longestHoldMs) return `holds the event loop for ${rounded(full.heldMs)} ms`;
  if (full.cpuMs <= floorMs || quarter === null || isLinear(full, quarter, SLACK)) return null;
  if (ordinary !== undefined) {
    let usual = await ordinary(1);
    for (let round = 2; round <= MAX_ROUNDS; round += 1) usual = leastOf(usual, await ordinary(1));
    if (full.cpuMs <= usual.cpuMs * ORDINARY_FACTOR) return null;
  }
  return `takes ${rounded(quarter.cpuMs)} ms at a quarter of the size and ${rounded(full.cpuMs)} ms at all of it`;
}

const isLinear = (full: Cost, quarter: Cost, slack: number): boolean =>
  full.cpuMs <= 4 * quarter.cpuMs * slack;

const leastOf = (one: Cost | null, other: Cost): Cost => ({
  cpuMs: Math.min(one?.cpuMs ?? Infinity, other.cpuMs),
  heldMs: Math.min(one?.heldMs ?? Infinity, other.heldMs),
});

const rounded = (ms: number): string => ms.toFixed(1);
