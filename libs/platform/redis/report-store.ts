import type { Redis } from 'ioredis';
import type { ZodType } from 'zod';

/** What a running process says about itself. Times are UNIX milliseconds. */
export interface ProcessReport {
  readonly id: string;
  readonly startedAt: number;
  readonly reportedAt: number;
}

/** A process without a report for this time is left out. */
const REPORT_LIFE_MS = 30_000;
const KEY_LIFE_SECONDS = 3600;

/** The last report of each running process of a kind, in one hash in Redis. They are for operators and not a record. */
export class ReportStore<Report extends ProcessReport> {
  constructor(
    private readonly redis: Redis,
    private readonly key: string,
    private readonly schema: ZodType<Report>,
  ) {}

  /** Replaces the report of a process; rejects while Redis is down. */
  async report(report: Report): Promise<void> {
    await this.redis.hset(this.key, report.id, JSON.stringify(report));
    await this.redis.expire(this.key, KEY_LIFE_SECONDS);
  }

  /** Removes a process that has shut down. */
  async forget(id: string): Promise<void> {
    await this.redis.hdel(this.key, id);
  }

  /** The reports of the last 30 seconds, the longest running first. Removes older ones; rejects while Redis is down. */
  async recent(now: number): Promise<Report[]> {
    const texts = Object.entries(await this.redis.hgetall(this.key));
    const reports = texts.map(([id, text]) => ({ id, report: this.#reportOf(text) }));
    const isRecent = (report: Report | null): report is Report =>
      report !== null && now - report.reportedAt < REPORT_LIFE_MS;
    const old = reports.filter(({ report }) => !isRecent(report)).map(({ id }) => id);
    if (old.length > 0) await this.redis.hdel(this.key, ...old);
    return reports
      .map(({ report }) => report)
      .filter(isRecent)
      .toSorted((one, other) => one.startedAt - other.startedAt);
  }

  /** The report of a process of another version may differ: it is left out until the versions agree. */
  #reportOf(text: string): Report | null {
    try {
      return this.schema.parse(JSON.parse(text));
    } catch {
      return null;
    }
  }
}
