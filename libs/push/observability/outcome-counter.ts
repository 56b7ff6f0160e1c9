import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Optional,
} from '@nestjs/common';
import type { DeliveryState, NotificationKind, Platform, PushLane } from '#push/jobs';
import { addToCount, type Clock, PeriodicTask, systemClock } from '#platform/core';
import { bucketOf, PushActivityStore } from './push-activity.store.js';
import type { ObservedDelivery, PushObserver } from './push-observer.js';

const FLUSH_MS = 2000;
/** As many buckets are kept while Redis is down. */
const MAX_BUCKETS = 180;

/**
 * Counts outcomes in steps of ten seconds for the operator's charts, summed up over all processes, with one
 * write to Redis every two seconds. A crash loses the counts of those two seconds.
 */
@Injectable()
export class OutcomeCounter implements PushObserver, OnApplicationBootstrap, OnApplicationShutdown {
  #buckets = new Map<number, Map<string, number>>();
  readonly #task = new PeriodicTask(FLUSH_MS, () => this.flush(), {
    failure: 'The counts of outcomes were not written',
  });
  /** A write that Redis did not answer may have succeeded: the next one waits until Redis answers. */
  #isInDoubt = false;

  constructor(
    private readonly store: PushActivityStore,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  /** After the last jobs and requests. The global RedisModule closes its connection later. */
  async onApplicationShutdown(): Promise<void> {
    await this.#task.stop();
    await this.flush().catch(() => undefined);
  }

  accepted(platform: Platform, _kind: NotificationKind, _lane: PushLane, deliveries: number): void {
    this.#add(`${platform}:accepted`, deliveries);
  }

  ended({ platform }: ObservedDelivery, state: Exclude<DeliveryState, 'pending'>): void {
    this.#add(`${platform}:${state}`, 1);
  }

  retried({ platform }: ObservedDelivery): void {
    this.#add(`${platform}:retried`, 1);
  }

  pruned(platform: Platform, devices: number): void {
    this.#add(`${platform}:pruned`, devices);
  }

  delayedByBreaker(platform: Platform, deliveries: number): void {
    this.#add(`${platform}:held`, deliveries);
  }

  /** Counts deliveries of other servers apart from those of this one. */
  ofServers(
    platform: Platform,
    outcome: 'accepted' | 'retried' | Exclude<DeliveryState, 'pending'>,
    deliveries = 1,
  ): void {
    this.#add(`${platform}:others_${outcome}`, deliveries);
  }

  /** Writes the counts; after a failure they are part of the next write. Rejects while Redis is down. */
  async flush(): Promise<void> {
    const taken = this.#buckets;
    if (taken.size === 0) return;
    this.#buckets = new Map();
    const buckets = [...taken].map(([at, counts]) => ({ at, counts: Object.fromEntries(counts) }));
    try {
      if (this.#isInDoubt) await this.store.ping();
      await this.store.addOutcomes(buckets);
      this.#isInDoubt = false;
    } catch (error) {
      this.#isInDoubt = true;
      this.#putBack(taken);
      throw error;
    }
  }

  #putBack(taken: ReadonlyMap<number, ReadonlyMap<string, number>>): void {
    const newest = [...taken].slice(-MAX_BUCKETS);
    for (const [at, counts] of newest) {
      for (const [outcome, count] of counts) this.#addTo(at, outcome, count);
    }
  }

  #add(outcome: string, count: number): void {
    this.#addTo(bucketOf(this.clock()), outcome, count);
  }

  #addTo(at: number, outcome: string, count: number): void {
    let counts = this.#buckets.get(at);
    if (counts === undefined) {
      counts = new Map();
      this.#buckets.set(at, counts);
    }
    addToCount(counts, outcome, count);
  }
}
