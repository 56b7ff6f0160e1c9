import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from './machine.js';

/** CPU seconds for a thousand requests, by program. */
export type CpuShares = Readonly<Record<string, number>>;

/** One line of bench/results/latest.json. */
export interface Result {
  readonly name: string;
  /** Median of ours. */
  readonly value: number;
  readonly unit: string;
  /** Median of the limit, measured in turn with ours; of a time, the longest that it may be. */
  readonly limit: number;
  /** Ours to the limit; of a time the limit to ours, so that more is better everywhere. */
  readonly ratio: number;
  /** The ratio that we want to reach; null: it is told for comparison. */
  readonly target: number | null;
  readonly cpu_s_per_1000: CpuShares;
  readonly limit_cpu_s_per_1000?: CpuShares;
  /** For one request, or for what `round_trips_per` names; left out where they were not counted. */
  readonly redis_round_trips?: number;
  readonly sql_round_trips?: number;
  readonly round_trips_per?: string;
}

/** What a scenario found out, before rounding. */
export interface Finding {
  readonly result: Result;
  /** What is to be known beside the figures. */
  readonly notes: readonly string[];
  /** What was answered wrong; then the figures are worth nothing. */
  readonly faults: readonly string[];
}

export type Measured = Omit<Result, 'ratio'>;

/** Of a rate: the more, the better. */
export const resultOf = (measured: Measured): Result =>
  roundedResult(measured, measured.value / measured.limit);

/** Of a time: the less, the better. */
export const resultOfTime = (measured: Measured): Result =>
  roundedResult(measured, measured.limit / measured.value);

function roundedResult(measured: Measured, ratio: number): Result {
  const { redis_round_trips: redis, sql_round_trips: sql, round_trips_per: per } = measured;
  const { cpu_s_per_1000: cpu, limit_cpu_s_per_1000: limitCpu } = measured;
  return {
    name: measured.name,
    value: roundedValue(measured.value),
    unit: measured.unit,
    limit: roundedValue(measured.limit),
    ratio: rounded(ratio, 3),
    target: measured.target,
    cpu_s_per_1000: roundedShares(cpu),
    ...(limitCpu === undefined ? {} : { limit_cpu_s_per_1000: roundedShares(limitCpu) }),
    ...(redis === undefined ? {} : { redis_round_trips: rounded(redis, 2) }),
    ...(sql === undefined ? {} : { sql_round_trips: rounded(sql, 2) }),
    ...(per === undefined ? {} : { round_trips_per: per }),
  };
}

export async function writeResults(
  root: string,
  machine: Machine,
  results: readonly Result[],
): Promise<string> {
  const file = path.join('bench', 'results', 'latest.json');
  await mkdir(path.join(root, 'bench', 'results'), { recursive: true });
  const text = JSON.stringify({ machine, results }, null, 2);
  await writeFile(path.join(root, file), `${text}\n`);
  return file;
}

/** Also where there is nothing to reach. */
export const isMet = ({ ratio, target }: Pick<Result, 'ratio' | 'target'>): boolean =>
  target === null || ratio >= target;

/** The figures as a table for people, one line each. */
export function tableOf(results: readonly Result[]): string[] {
  const rows = [
    ['', 'ours', 'limit', 'ratio', 'target', ''],
    ...results.map(({ name, value, limit, unit, ratio, target }) => [
      name,
      `${value} ${unit}`,
      `${limit} ${unit}`,
      ratio.toFixed(2),
      ...(target === null
        ? ['', '']
        : [`>= ${target}`, isMet({ ratio, target }) ? 'met' : 'missed']),
    ]),
  ];
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths?.[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('   ')
      .trimEnd(),
  );
}

/** What one request costs, in a line. */
export function costOf(result: Result): string {
  const { redis_round_trips: redis, sql_round_trips: sql, round_trips_per: per } = result;
  const { cpu_s_per_1000: ours, limit_cpu_s_per_1000: limits } = result;
  const ofLimit = limits === undefined ? '' : `; the limit's: ${cpuText(limits)}`;
  const cpu = `CPU each: ${cpuText(ours)}${ofLimit}`;
  if (redis === undefined && sql === undefined) return cpu;
  const counted = per === undefined ? 'round trips' : `round trips per ${per}`;
  return `${cpu}; ${counted}: Redis ${redis ?? 'not counted'}, SQL ${sql ?? 'not counted'}`;
}

/** CPU seconds per thousand requests, told as microseconds per request. */
export function cpuText(secondsPerThousand: CpuShares): string {
  const shares = Object.entries(secondsPerThousand).map(
    ([name, seconds]) => `${name} ${Math.round(seconds * 1000)}`,
  );
  return shares.length === 0 ? 'not known here' : `${shares.join(', ')} us`;
}

const roundedShares = (shares: CpuShares): CpuShares =>
  Object.fromEntries(Object.entries(shares).map(([name, seconds]) => [name, rounded(seconds, 4)]));

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Times of some milliseconds keep a digit behind the point. */
const roundedValue = (value: number): number => rounded(value, value < 100 ? 1 : 0);
