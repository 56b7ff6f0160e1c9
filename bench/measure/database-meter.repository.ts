import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#database';
import { cpuSecondsOfFamily, parentOf } from './process-cpu.js';

/** A connection of PostgreSQL that is idle reports what it has committed after ten seconds at the latest. */
const REPORT_AFTER_MS = 10_500;

/** What PostgreSQL says of its own work. */
export class DatabaseMeter {
  constructor(private readonly database: Database) {}

  /** Transactions committed so far; see `settle`. */
  async commits(): Promise<number> {
    const [row] = await this.database.query<{ commits: string }>(
      'bench_commits',
      'SELECT xact_commit AS commits FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row?.commits);
  }

  /** Waits until all that was committed by the moment `since` (of performance.now) is counted. */
  async settle(since: number): Promise<void> {
    await delay(Math.max(0, since + REPORT_AFTER_MS - performance.now()));
  }

  /** Of the server's processes together; null off Linux. */
  async cpuSeconds(): Promise<number | null> {
    const [row] = await this.database.query<{ pid: number }>(
      'bench_server',
      'SELECT pg_backend_pid() AS pid',
    );
    const server = parentOf(row?.pid ?? 0);
    return server === null ? null : cpuSecondsOfFamily(server);
  }
}
