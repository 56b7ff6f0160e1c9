import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import { closeRedis, type Redis } from '#platform/redis';
import { type WorkerReport, workerReport } from './worker-report.js';

/** The length of a bucket. */
export const BUCKET_MS = 10_000;
const BUCKET_LIFE_SECONDS = 3600;
/** A worker without a report for this time is left out. */
const REPORT_LIFE_MS = 15_000;
/** Far longer, so that a wrong clock does not make one worker remove another. */
const NAME_LIFE_MS = 3_600_000;

/** Longer than any restart of all workers. */
const PROVIDER_LIFE_MS = 3_600_000;

/** The connection and key prefix of the activity. */
export interface PushActivityRedis {
  readonly redis: Redis;
  /** That of the queues. */
  readonly prefix: string;
}

/** DI token of the PushActivityRedis; its connection is closed by the store. */
export const PUSH_ACTIVITY_REDIS = Symbol('PushActivityRedis');

/** The number of each outcome in ten seconds. */
export interface OutcomeBucket {
  /** The beginning of the ten seconds, in UNIX milliseconds. */
  readonly at: number;
  /** By `<platform>:<outcome>`, the outcome being a delivery's end, `accepted`, `retried`, `pruned` or `held`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The reports of the workers and the counts of outcomes, in Redis. They are for the ops page and not a record. */
@Injectable()
export class PushActivityStore implements OnApplicationShutdown {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #beforeClose: (() => Promise<void>)[] = [];

  constructor(@Inject(PUSH_ACTIVITY_REDIS) { redis, prefix }: PushActivityRedis) {
    this.#redis = redis;
    this.#prefix = `${prefix}:push`;
  }

  /** Resolves when Redis answers, and rejects when it does not. */
  async ping(): Promise<void> {
    await this.#redis.ping();
  }

  /** Adds counts to their buckets, in one round trip; rejects when Redis is down. */
  async addOutcomes(buckets: readonly OutcomeBucket[]): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const { at, counts } of buckets) {
      const key = this.#bucketKey(at);
      for (const [outcome, count] of Object.entries(counts)) pipeline.hincrby(key, outcome, count);
      pipeline.expire(key, BUCKET_LIFE_SECONDS);
    }
    throwFirst(await pipeline.exec());
  }

  /** Every bucket between two times, also empty ones, the oldest first. */
  async outcomes(from: number, to: number): Promise<OutcomeBucket[]> {
    const times: number[] = [];
    for (let at = bucketOf(from) + BUCKET_MS; at <= to; at += BUCKET_MS) times.push(at);
    const pipeline = this.#redis.pipeline();
    for (const at of times) pipeline.hgetall(this.#bucketKey(at));
    const results = throwFirst(await pipeline.exec());
    return times.map((at, index) => ({ at, counts: countsOf(results[index]) }));
  }

  /** Stores the report of a worker for 15 seconds; rejects when Redis is down. */
  async report(worker: WorkerReport): Promise<void> {
    const ends = worker.reportedAt + NAME_LIFE_MS;
    const results = await this.#redis
      .pipeline()
      .set(this.#workerKey(worker.id), JSON.stringify(worker), 'PX', REPORT_LIFE_MS)
      .zadd(this.#workersKey, ends, worker.id)
      .zremrangebyscore(this.#workersKey, '-inf', worker.reportedAt)
      .pexpire(this.#workersKey, NAME_LIFE_MS)
      .exec();
    throwFirst(results);
  }

  /** Removes a worker that has shut down. */
  async forget(workerId: string): Promise<void> {
    const pipeline = this.#redis.pipeline();
    pipeline.del(this.#workerKey(workerId)).zrem(this.#workersKey, workerId);
    throwFirst(await pipeline.exec());
  }

  /**
   * The workers of the last 15 seconds, the longest running first. The age of a report is taken from its
   * expiry in Redis, since the clocks of the workers may be wrong.
   */
  async workers(now: number): Promise<WorkerReport[]> {
    const ids = await this.#redis.zrange(this.#workersKey, '0', '-1');
    if (ids.length === 0) return [];
    const pipeline = this.#redis.pipeline();
    for (const id of ids) pipeline.get(this.#workerKey(id)).pttl(this.#workerKey(id));
    const results = throwFirst(await pipeline.exec());
    return ids
      .flatMap((_id, index) => {
        const [text, lifeMs] = results.slice(2 * index, 2 * index + 2);
        const ageMs = REPORT_LIFE_MS - Number(lifeMs);
        return reportOf(text).map((worker) => ({ ...worker, reportedAt: now - ageMs }));
      })
      .toSorted((one, other) => one.startedAt - other.startedAt);
  }

  /** Records for an hour that a provider is configured; rejects when Redis is down. */
  async noteProvider(): Promise<void> {
    await this.#redis.set(this.#providerKey, '1', 'PX', PROVIDER_LIFE_MS);
  }

  /** Whether a worker has recorded a provider in the last hour; rejects when Redis is down. */
  async hasProvider(): Promise<boolean> {
    return (await this.#redis.exists(this.#providerKey)) === 1;
  }

  /** Registers work for the shutdown, before the connection is closed; failures are ignored. */
  beforeClose(work: () => Promise<void>): void {
    this.#beforeClose.push(work);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.#beforeClose.map((work) => work()));
    await closeRedis(this.#redis);
  }

  get #workersKey(): string {
    return `${this.#prefix}:workers`;
  }

  get #providerKey(): string {
    return `${this.#prefix}:provider-configured`;
  }

  #workerKey(id: string): string {
    return `${this.#prefix}:worker:${id}`;
  }

  #bucketKey(at: number): string {
    return `${this.#prefix}:outcomes:${at / 1000}`;
  }
}

/** When the bucket of a time began. */
export const bucketOf = (at: number): number => Math.floor(at / BUCKET_MS) * BUCKET_MS;

/** The report of a worker of another version may differ: it is left out until the versions agree. */
function reportOf(text: unknown): WorkerReport[] {
  const parsed = workerReport.safeParse(jsonOf(text));
  return parsed.success ? [parsed.data] : [];
}

function jsonOf(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const hash = z.record(z.string(), z.coerce.number());

const countsOf = (result: unknown): Record<string, number> => hash.parse(result);

/** The results of a pipeline; throws the first error. */
function throwFirst(results: [Error | null, unknown][] | null): unknown[] {
  return (results ?? []).map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
}
