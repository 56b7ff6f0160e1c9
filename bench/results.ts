import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from './machine.js';

/** One line of bench/results/latest.json. */
export interface Result {
  readonly name: string;
  /** Median of ours. */
  readonly value: number;
  readonly unit: string;
  /** Median of the limit, measured in turn with ours. */
  readonly limit: number;
  readonly ratio: number;
  /** The ratio that we want to reach. */
  readonly target: number;
  readonly cpu_s_per_1000: Readonly<Record<string, number>>;
  readonly redis_round_trips: number;
  readonly sql_round_trips: number;
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

export function resultOf(measured: Measured): Result {
  const { value, limit, cpu_s_per_1000: cpu } = measured;
  return {
    name: measured.name,
    value: Math.round(value),
    unit: measured.unit,
    limit: Math.round(limit),
    ratio: rounded(value / limit, 3),
    target: measured.target,
    cpu_s_per_1000: Object.fromEntries(
      Object.entries(cpu).map(([name, seconds]) => [name, rounded(seconds, 4)]),
    ),
    redis_round_trips: rounded(measured.redis_round_trips, 2),
    sql_round_trips: rounded(measured.sql_round_trips, 2),
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

/** The figures as a table for people, one line each. */
export function tableOf(results: readonly Result[]): string[] {
  const rows = [
    ['', 'ours', 'limit', 'ratio', 'target', ''],
    ...results.map(({ name, value, limit, unit, ratio, target }) => [
      name,
      `${value} ${unit}`,
      `${limit} ${unit}`,
      ratio.toFixed(2),
      `>= ${target}`,
      ratio >= target ? 'met' : 'missed',
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
export const costOf = (result: Result): string =>
  `CPU each: ${cpuText(result.cpu_s_per_1000)}; round trips: ` +
  `Redis ${result.redis_round_trips}, SQL ${result.sql_round_trips}`;

/** CPU seconds per thousand requests, told as microseconds per request. */
export function cpuText(secondsPerThousand: Readonly<Record<string, number>>): string {
  const shares = Object.entries(secondsPerThousand).map(
    ([name, seconds]) => `${name} ${Math.round(seconds * 1000)}`,
  );
  return shares.length === 0 ? 'not known here' : `${shares.join(', ')} us`;
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
