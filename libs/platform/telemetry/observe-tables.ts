import { cachedCall } from '#platform/core';
import type { Metrics } from './metrics.js';

/** The size of a table of PostgreSQL. */
export interface TableSize {
  readonly table: string;
  /** An estimate. */
  readonly rows: number;
  /** With its indexes and long values. */
  readonly bytes: number;
}

const CACHE = { forMs: 60_000, costFactor: 100 };

/** Exports the size of each table. `read` is called once a minute at most. */
export function observeTables(metrics: Metrics, read: () => Promise<readonly TableSize[]>): void {
  const cached = cachedCall(CACHE, read);
  const gauge = async (value: (size: TableSize) => number) =>
    (await cached()).map((size) => ({ labels: { table: size.table }, value: value(size) }));
  metrics.gauge(
    {
      name: 'carillon_database_table_rows',
      help: 'Rows of a table, as PostgreSQL estimates them; the same from every gateway.',
      labels: ['table'],
    },
    () => gauge(({ rows }) => rows),
  );
  metrics.gauge(
    {
      name: 'carillon_database_table_bytes',
      help: 'The size of a table with its indexes and long values; the same from every gateway.',
      labels: ['table'],
    },
    () => gauge(({ bytes }) => bytes),
  );
}
