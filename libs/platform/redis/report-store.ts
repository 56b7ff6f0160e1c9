import type { Redis } from 'ioredis';
import type { ZodType } from 'zod';
import { parseJsonOrUndefined } from '#platform/core';
import { pipelineResults } from './pipeline-results.js';
import { redisTime } from './redis-time.js';

/** What a running process says about itself. Times are UNIX milliseconds. */
interface ProcessReport {
  readonly id: string;
  readonly startedAt: number;
  readonly reportedAt: number;
}

/** The reports of one kind of process. */
interface ReportKind<Report extends ProcessReport> {
  /** The key of a report is `<key>:<id>`, that of the ids `<key>s`. */
  readonly key: string;
  readonly schema: ZodType<Report>;
  /** A process without a report for this time is left out; several times the interval of the reports. */
  readonly lifeMs: number;
}

const IDS_LIFE_MS = 3_600_000;
/** The score of every id: the previous release deletes ids with a score below its own clock. */
const NEVER = '+inf';

/**
 * The last report of each running process of a kind, in Redis. They are for operators and not a record. Redis alone
 * measures the age of a report, since the clocks of hosts may be wrong. All methods reject while Redis is down.
 */
export class ReportStore<Report extends ProcessReport> {
  readonly #idsKey: string;

  constructor(
    private readonly redis: Redis,
    private readonly kind: ReportKind<Report>,
  ) {
    this.#idsKey = `${kind.key}s`;
  }

  /** The time of Redis, in UNIX milliseconds. */
  now(): Promise<number> {
    return redisTime(this.redis);
  }

  /** Replaces the report of a process. */
  async report(report: Report): Promise<void> {
    const pipeline = this.redis
      .pipeline()
      .set(this.#keyOf(report.id), JSON.stringify(report), 'PX', this.kind.lifeMs)
      .zadd(this.#idsKey, NEVER, report.id)
      .pexpire(this.#idsKey, IDS_LIFE_MS);
    pipelineResults(await pipeline.exec());
  }

  /** Removes a process that has shut down. */
  async forget(id: string): Promise<void> {
    const pipeline = this.redis.pipeline();
    pipelineResults(await pipeline.del(this.#keyOf(id)).zrem(this.#idsKey, id).exec());
  }

  /** The reports that are not too old, with times of the reader's clock, the longest running process first. */
  async recent(now: number): Promise<Report[]> {
    const ids = await this.redis.zrange(this.#idsKey, '0', '-1');
    if (ids.length === 0) return [];
    const pipeline = this.redis.pipeline();
    for (const id of ids) pipeline.get(this.#keyOf(id)).pttl(this.#keyOf(id));
    const results = pipelineResults(await pipeline.exec());
    const found = ids.map((id, index) => ({
      id,
      text: results[2 * index],
      ageMs: this.kind.lifeMs - Number(results[2 * index + 1]),
    }));
    const silent = found.filter(({ text }) => text === null).map(({ id }) => id);
    if (silent.length > 0) await this.redis.zrem(this.#idsKey, ...silent);
    return found
      .flatMap(({ text, ageMs }) =>
        this.#reportOf(text).map((report) => ({ ...report, reportedAt: now - ageMs })),
      )
      .toSorted((one, other) => one.startedAt - other.startedAt);
  }

  /** The report of a process of another version may differ: it is left out until the versions agree. */
  #reportOf(text: unknown): Report[] {
    if (typeof text !== 'string') return [];
    const report = this.kind.schema.safeParse(parseJsonOrUndefined(text));
    return report.success ? [report.data] : [];
  }

  #keyOf(id: string): string {
    return `${this.kind.key}:${id}`;
  }
}
