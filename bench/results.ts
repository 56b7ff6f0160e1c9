import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from './machine.js';

/** CPU seconds per thousand requests, by program. */
export type CpuShares = Readonly<Record<string, number>>;

/** Numbers of notifications, by name. */
export type Losses = Readonly<Record<string, number>>;

/** An entry of bench/results/latest.json. */
export interface Result {
  readonly name: string;
  /** The median of Carillon. */
  readonly value: number;
  readonly unit: string;
  /** The median of the reference, measured in turn with Carillon; for a time, the longest permitted one. */
  readonly limit: number;
  /** Carillon divided by the reference; for a time, the inverse. More is better in both cases. */
  readonly ratio: number;
  /** The target of the ratio; null: the figure is only for comparison. */
  readonly target: number | null;
  readonly cpu_s_per_1000: CpuShares;
  readonly limit_cpu_s_per_1000?: CpuShares;
  /** Notifications that were lost or sent twice, by what happened in the middle. */
  readonly losses?: Losses;
  readonly limit_losses?: Losses;
  /** Bytes that PostgreSQL writes or keeps for each request, by name. */
  readonly bytes_each?: Readonly<Record<string, number>>;
  /** Per request, or per the unit in `round_trips_per`; omitted if not counted. */
  readonly redis_round_trips?: number;
  readonly sql_round_trips?: number;
  readonly round_trips_per?: string;
}

/** The result of a scenario before rounding. */
export interface Finding {
  readonly result: Result;
  /** Additional information for the reader. */
  readonly notes: readonly string[];
  /** Wrong responses, which make the figures invalid. */
  readonly faults: readonly string[];
}

export type Measured = Omit<Result, 'ratio'>;

/** The result for a rate: more is better. */
export const resultOf = (measured: Measured): Result =>
  roundedResult(measured, measured.value / measured.limit);

/** The result for a time: less is better. */
export const resultOfTime = (measured: Measured): Result =>
  roundedResult(measured, measured.limit / measured.value);

function roundedResult(measured: Measured, ratio: number): Result {
  const { redis_round_trips: redis, sql_round_trips: sql, round_trips_per: per } = measured;
  const { cpu_s_per_1000: cpu, limit_cpu_s_per_1000: limitCpu, bytes_each: bytes } = measured;
  return {
    name: measured.name,
    value: roundedValue(measured.value),
    unit: measured.unit,
    limit: roundedValue(measured.limit),
    ratio: rounded(ratio, 3),
    target: measured.target,
    cpu_s_per_1000: roundedShares(cpu),
    ...(limitCpu === undefined ? {} : { limit_cpu_s_per_1000: roundedShares(limitCpu) }),
    ...(measured.losses === undefined ? {} : { losses: measured.losses }),
    ...(measured.limit_losses === undefined ? {} : { limit_losses: measured.limit_losses }),
    ...(bytes === undefined ? {} : { bytes_each: roundedBytes(bytes) }),
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

/** True without a target. */
export const isMet = ({ ratio, target }: Pick<Result, 'ratio' | 'target'>): boolean =>
  target === null || ratio >= target;

/** The figures as a table, one line each. */
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

/** The cost of one request, as one line. */
export function costOf(result: Result): string {
  const { bytes_each: bytes } = result;
  const cost = cpuAndRoundTripsOf(result);
  if (bytes === undefined) return cost;
  const listed = Object.entries(bytes).map(([name, value]) => `${name} ${value}`);
  return `${cost}; bytes each: ${listed.join(', ')}`;
}

function cpuAndRoundTripsOf(result: Result): string {
  const { redis_round_trips: redis, sql_round_trips: sql, round_trips_per: per } = result;
  const { cpu_s_per_1000: ours, limit_cpu_s_per_1000: limits } = result;
  const ofLimit = limits === undefined ? '' : `; the limit's: ${cpuText(limits)}`;
  const cpu = `CPU each: ${cpuText(ours)}${ofLimit}`;
  if (redis === undefined && sql === undefined) return cpu;
  const counted = per === undefined ? 'round trips' : `round trips per ${per}`;
  return `${cpu}; ${counted}: Redis ${redis ?? 'not counted'}, SQL ${sql ?? 'not counted'}`;
}

/** CPU seconds per thousand requests, as microseconds per request. */
export function cpuText(secondsPerThousand: CpuShares): string {
  const shares = Object.entries(secondsPerThousand).map(
    ([name, seconds]) => `${name} ${Math.round(seconds * 1000)}`,
  );
  return shares.length === 0 ? 'not known here' : `${shares.join(', ')} us`;
}

const roundedShares = (shares: CpuShares): CpuShares =>
  Object.fromEntries(Object.entries(shares).map(([name, seconds]) => [name, rounded(seconds, 4)]));

const roundedBytes = (bytes: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(bytes).map(([name, value]) => [name, roundedValue(value)]));

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** One decimal for values below 100. */
const roundedValue = (value: number): number => rounded(value, value < 100 ? 1 : 0);
