import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '#platform/database';
import { cpuSecondsOfFamily, parentOf } from './process-cpu.js';

/** An idle connection of PostgreSQL reports its commits after ten seconds at the latest. */
const REPORT_AFTER_MS = 10_500;

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
}
