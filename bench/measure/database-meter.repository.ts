import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#platform/database';
import { cpuSecondsOfFamily, parentOf } from './process-cpu.js';

/** An idle connection of PostgreSQL reports its commits after ten seconds at the latest. */
const REPORT_AFTER_MS = 10_500;

/** The tables of the ledger of push. */
const LEDGER: ReadonlySet<string> = new Set([
  'push_notifications',
  'push_deliveries',
  'push_pages',
]);

/** The bytes of a table. */
interface TableBytes {
  readonly rows: number;
  readonly indexes: number;
}

/** Statistics of PostgreSQL. */
export class DatabaseMeter {
  constructor(private readonly database: Database) {}

  /** The number of committed transactions; see `settle`. */
  async commits(): Promise<number> {
    const [row] = await this.database.query<{ commits: string }>(
      'bench_commits',
      'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row?.commits);
  }

  /** Waits until all commits up to `since` (a time of performance.now) are counted. */
  async settle(since: number): Promise<void> {
    await delay(Math.max(0, since + REPORT_AFTER_MS - performance.now()));
  }

  /** The CPU of all processes of the server; null on systems other than Linux. */
  async cpuSeconds(): Promise<number | null> {
    const [row] = await this.database.query<{ pid: number }>(
      'bench_server',
      'SELECT pg_backend_pid() AS pid',
    );
    const server = parentOf(row?.pid ?? 0);
    return server === null ? null : cpuSecondsOfFamily(server);
  }

  /** The bytes of the write-ahead log so far. The PostgreSQL of the bench writes no full-page images. */
  async walBytes(): Promise<number> {
    const [row] = await this.database.query<{ bytes: number }>(
      'bench_wal',
      `SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 AS bytes`,
    );
    return row?.bytes ?? Number.NaN;
  }

  /** The bytes of each table, without and with its indexes. */
  async tableBytes(): Promise<ReadonlyMap<string, TableBytes>> {
    const rows = await this.database.query<TableBytes & { name: string }>(
      'bench_tables',
      `SELECT relname AS name, pg_table_size(oid)::float8 AS rows, pg_indexes_size(oid)::float8 AS indexes
       FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** The bytes of the ledger of push with its indexes, after it was written anew without dead rows. */
  async ledgerBytes(): Promise<number> {
    let sum = 0;
    for (const [name] of await this.tableBytes()) {
      if (!LEDGER.has(name)) continue;
      await this.database.query(`bench_rewrite_${name}`, `VACUUM (FULL, ANALYZE) ${name}`);
      const bytes = (await this.tableBytes()).get(name);
      sum += (bytes?.rows ?? 0) + (bytes?.indexes ?? 0);
    }
    return sum;
  }
}
