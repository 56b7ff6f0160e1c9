import { Inject, Injectable } from '@nestjs/common';
import { QUEUE_OPTIONS, type QueueOptions } from '#platform/queue';
import { z } from 'zod';
import { pipelineResults, REDIS, type Redis, ReportStore } from '#platform/redis';
import { type WorkerReport, workerReport } from './worker-report.js';

/** The length of a bucket. */
export const BUCKET_MS = 10_000;
const BUCKET_LIFE_SECONDS = 3600;
/** A worker without a report for this time is left out. */
const REPORT_LIFE_MS = 15_000;

/** Longer than any restart of all workers. */
const PROVIDER_LIFE_MS = 3_600_000;

/** The number of each outcome in ten seconds. */
export interface OutcomeBucket {
  /** The beginning of the ten seconds, in UNIX milliseconds. */
  readonly at: number;
  /**
   * By `<platform>:<outcome>`, the outcome being a delivery's end, `accepted`, `retried`, `pruned` or `held`; those of other
   * servers begin with `others_`.
   */
  readonly counts: Readonly<Record<string, number>>;
}

/** The reports of the workers and the counts of outcomes, in Redis. They are for the ops page and not a record. */
@Injectable()
export class PushActivityStore {
  readonly #prefix: string;
  /** The reports of the running workers. */
  readonly workers: ReportStore<WorkerReport>;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(QUEUE_OPTIONS) { prefix }: QueueOptions,
  ) {
    this.#prefix = `${prefix}:push`;
    this.workers = new ReportStore(redis, {
      key: `${this.#prefix}:worker`,
      schema: workerReport,
      lifeMs: REPORT_LIFE_MS,
    });
  }

  /** Resolves when Redis answers, and rejects when it does not. */
  async ping(): Promise<void> {
    await this.redis.ping();
  }

  /** Adds counts to their buckets, in one round trip; rejects when Redis is down. */
  async addOutcomes(buckets: readonly OutcomeBucket[]): Promise<void> {
    const pipeline = this.redis.pipeline();
    for (const { at, counts } of buckets) {
      const key = this.#bucketKey(at);
      for (const [outcome, count] of Object.entries(counts)) pipeline.hincrby(key, outcome, count);
      pipeline.expire(key, BUCKET_LIFE_SECONDS);
    }
    pipelineResults(await pipeline.exec());
  }

  /** Every bucket between two times, also empty ones, the oldest first. */
  async outcomes(from: number, to: number): Promise<OutcomeBucket[]> {
    const times: number[] = [];
    for (let at = bucketOf(from) + BUCKET_MS; at <= to; at += BUCKET_MS) times.push(at);
    const pipeline = this.redis.pipeline();
    for (const at of times) pipeline.hgetall(this.#bucketKey(at));
    const results = pipelineResults(await pipeline.exec());
    return times.map((at, index) => ({ at, counts: countsOf(results[index]) }));
  }

  /** Calls `report` at each new connection, and at once if there is one. */
  onConnected(report: () => void): void {
    if (this.redis.status === 'ready') report();
    this.redis.on('ready', report);
  }

  /**
   * Replaces the report of a worker. `hasProvider`: it has credentials for a provider, which is stored for an hour. Rejects
   * when Redis is down.
   */
  async reportWorker(report: WorkerReport, hasProvider: boolean): Promise<void> {
    await Promise.all([
      this.workers.report(report),
      hasProvider && this.redis.set(this.#providerKey, '1', 'PX', PROVIDER_LIFE_MS),
    ]);
  }

  /** Whether a worker has reported a provider in the last hour; rejects when Redis is down. */
  async hasProvider(): Promise<boolean> {
    return (await this.redis.exists(this.#providerKey)) === 1;
  }

  get #providerKey(): string {
    return `${this.#prefix}:provider-configured`;
  }

  #bucketKey(at: number): string {
    return `${this.#prefix}:outcomes:${at / 1000}`;
  }
}

/** When the bucket of a time began. */
export const bucketOf = (at: number): number => Math.floor(at / BUCKET_MS) * BUCKET_MS;

const hash = z.record(z.string(), z.coerce.number());

const countsOf = (result: unknown): Record<string, number> => hash.parse(result);
