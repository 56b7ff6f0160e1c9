/** The state of the system at one time. */
export interface SoakSample {
  /** Seconds since the beginning of the load. */
  readonly at: number;
  /** Bytes after a garbage collection, by program; `redis` without one. */
  readonly memory: Readonly<Record<string, number>>;
  /** Bytes with indexes, by table. */
  readonly tables: Readonly<Record<string, number>>;
  /** Deliveries that wait for a worker or a repetition. */
  readonly pending: number;
  /** The age of the oldest of them, in seconds. */
  readonly oldestSeconds: number;
  /** Since the previous sample, a second. */
  readonly answered: number;
  readonly shown: number;
  readonly events: number;
  /** Since the previous sample. */
  readonly failed: number;
  /** Milliseconds from the scheduled time of a request to its answer. */
  readonly p50: number;
  readonly p99: number;
}

/** Memory below this growth is noise. */
const NOISE_BYTES = 5 * 1024 * 1024;
/** The last third of a run may need this much more than the middle third. */
const MAX_GROWTH = 1.03;
/** Deliveries that are older than this are late. */
const MAX_LAG_SECONDS = 30;

/** The values that grew or were too late in a run; empty if there are none. */
export function verdictOf(samples: readonly SoakSample[]): string[] {
  const faults: string[] = [];
  for (const program of Object.keys(samples[0]?.memory ?? {})) {
    const { middle, last } = thirdsOf(samples.map(({ memory }) => memory[program] ?? Number.NaN));
    if (last > middle * MAX_GROWTH && last - middle > NOISE_BYTES) {
      faults.push(`The memory of ${program} grows: ${mebibytes(middle)} to ${mebibytes(last)} MiB`);
    }
  }
  const failed = samples.reduce((sum, sample) => sum + sample.failed, 0);
  if (failed > 0) faults.push(`${failed} requests failed`);
  const { last: lag } = thirdsOf(samples.map(({ oldestSeconds }) => oldestSeconds));
  if (lag > MAX_LAG_SECONDS) faults.push(`Deliveries are ${Math.round(lag)} s late`);
  return faults;
}

/** The averages of the middle and of the last third. The first third warms up. */
function thirdsOf(values: readonly number[]): { middle: number; last: number } {
  const third = Math.floor(values.length / 3);
  return { middle: mean(values.slice(third, 2 * third)), last: mean(values.slice(-third)) };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
