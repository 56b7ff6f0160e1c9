import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { z } from 'zod';
import { platforms, queueNames } from '#contracts';
import { closeRedis, type Redis } from '#redis';
import type { OutcomeBucket, WorkerReport } from './worker-report.js';

/** The steps that outcomes are counted in. */
export const BUCKET_MS = 10_000;
const BUCKET_LIFE_SECONDS = 3600;
/** A worker that has said nothing for so long is not shown any more. */
const REPORT_LIFE_MS = 15_000;
/** Far longer, so that no clock that is wrong makes one worker forget another. */
const NAME_LIFE_MS = 3_600_000;

/** Where the activity of a push pipeline is kept. */
export interface PushActivityPlace {
  readonly redis: Redis;
  /** That of the queues. */
  readonly prefix: string;
}

/** DI token of the PushActivityPlace; its connection is closed by the store. */
export const PUSH_ACTIVITY_PLACE = Symbol('PushActivityPlace');

const gate = z.object({
  key: z.string(),
  platform: z.enum(platforms),
  state: z.enum(['open', 'shut', 'probing']),
  cause: z.enum(['outage', 'throttled', 'misconfigured']).nullable(),
  reason: z.string().nullable(),
  since: z.number().nullable(),
  reopensAt: z.number().nullable(),
});

const alarm = z.object({
  key: z.string(),
  platform: z.enum(platforms),
  since: z.number(),
  dead: z.int(),
  answers: z.int(),
});

const report = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  queues: z.array(z.enum(queueNames)),
  startedAt: z.number(),
  reportedAt: z.number(),
  inFlight: z.int(),
  oldestInFlightAt: z.record(z.enum(platforms), z.number().nullable()),
  gates: z.array(gate),
  pruneAlarms: z.array(alarm),
}) satisfies z.ZodType<WorkerReport>;

/** What the programs of a push pipeline tell of themselves, in Redis: for people to look at, not a record. */
@Injectable()
export class PushActivityStore implements OnApplicationShutdown {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #lastWords: (() => Promise<void>)[] = [];

  constructor(@Inject(PUSH_ACTIVITY_PLACE) { redis, prefix }: PushActivityPlace) {
    this.#redis = redis;
    this.#prefix = `${prefix}:push`;
  }

  /** Resolves when Redis answers, and rejects when it does not. */
  async ping(): Promise<void> {
    await this.#redis.ping();
  }

  /** Adds counts to their buckets, in one round trip; rejects when Redis is away. */
  async addOutcomes(buckets: readonly OutcomeBucket[]): Promise<void> {
    const pipeline = this.#redis.pipeline();
    for (const { at, counts } of buckets) {
      const key = this.#bucketKey(at);
      for (const [outcome, count] of Object.entries(counts)) pipeline.hincrby(key, outcome, count);
      pipeline.expire(key, BUCKET_LIFE_SECONDS);
    }
    throwFirst(await pipeline.exec());
  }

  /** Every bucket that touches the time between, empty ones too, the oldest first. */
  async outcomes(from: number, to: number): Promise<OutcomeBucket[]> {
    const times: number[] = [];
    for (let at = bucketOf(from) + BUCKET_MS; at <= to; at += BUCKET_MS) times.push(at);
    const pipeline = this.#redis.pipeline();
    for (const at of times) pipeline.hgetall(this.#bucketKey(at));
    const results = throwFirst(await pipeline.exec());
    return times.map((at, index) => ({ at, counts: countsOf(results[index]) }));
  }

  /** Keeps what a worker says of itself for 15 seconds; rejects when Redis is away. */
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

  /** Forgets a worker that has ended in order. */
  async forget(workerId: string): Promise<void> {
    const pipeline = this.#redis.pipeline();
    pipeline.del(this.#workerKey(workerId)).zrem(this.#workersKey, workerId);
    throwFirst(await pipeline.exec());
  }

  /**
   * The workers of the last 15 seconds, the longest running first. When they spoke goes by how old Redis
   * knows their words to be, and by the clock of who asks: those of the workers may be wrong.
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

  /** Has something done at the shutdown, while the connection is still there; whether it works or not. */
  beforeClose(work: () => Promise<void>): void {
    this.#lastWords.push(work);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.allSettled(this.#lastWords.map((work) => work()));
    await closeRedis(this.#redis);
  }

  get #workersKey(): string {
    return `${this.#prefix}:workers`;
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

/** A worker of another version may say it otherwise: then it is left out until the versions agree. */
function reportOf(text: unknown): WorkerReport[] {
  const parsed = report.safeParse(jsonOf(text));
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

/** The results of a pipeline; throws what the first failed command failed with. */
function throwFirst(results: [Error | null, unknown][] | null): unknown[] {
  return (results ?? []).map(([error, result]) => {
    if (error !== null) throw error;
    return result;
  });
}
