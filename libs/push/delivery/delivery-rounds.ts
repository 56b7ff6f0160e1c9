import { Injectable, Optional } from '@nestjs/common';
import {
  type Platform,
  platformQueue,
  platforms,
  type PushLane,
  pushLanes,
  type QueueName,
} from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import type { JobOutcome } from '#platform/queue';
import { CircuitBreakers } from '#push/breakers';
import type { Retry } from '#push/notifications';
import { afterBreakerPause, recheckDelayMs } from './delivery.rules.js';
import type { Attempted, JobDeliveries, Ledger } from './ledger.js';
import { PlatformPools } from './platform-pools.js';

/** A platform, a lane, and the queue of the two. */
interface Destination {
  readonly queue: QueueName;
  readonly platform: Platform;
  readonly lane: PushLane;
}

const destinations: readonly Destination[] = platforms.flatMap((platform) =>
  pushLanes.map((lane) => ({ queue: platformQueue(platform, lane), platform, lane })),
);

/** The destination of the deliveries of a queue. Throws for a queue without deliveries. */
function destinationOf(queue: QueueName): Destination {
  const destination = destinations.find((one) => one.queue === queue);
  if (destination === undefined) throw new Error(`${queue} delivers no notifications`);
  return destination;
}

type Steps<Key, Claim> = Pick<
  Ledger<Key, Claim, JobDeliveries<Key>>,
  'claim' | 'attempt' | 'giveBack' | 'keyText' | 'sizeOf'
>;

/** Bounds how many notifications of other jobs a job sends to the same device. */
const MAX_NEXT_ROUNDS = 100;

/**
 * Delivers the deliveries of jobs in rounds. A round claims deliveries as slots get free, and attempts each once. Methods
 * reject only when PostgreSQL is down.
 */
@Injectable()
export class DeliveryRounds {
  constructor(
    private readonly pools: PlatformPools,
    private readonly breakers: CircuitBreakers,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Attempts the deliveries of a job, enqueues retries, publishes the states, and sends the deliveries that waited behind
   * these. While the circuit breaker of the platform is open, all of them wait for it.
   */
  async deliver<Key, Claim, Job extends JobDeliveries<Key>>(
    ledger: Ledger<Key, Claim, Job>,
    job: Job,
  ): Promise<JobOutcome> {
    const { queue } = job;
    const destination = destinationOf(queue);
    const openUntil = this.breakers.openUntil(destination.platform);
    if (openUntil !== null) {
      const retryAt = afterBreakerPause(openUntil, Math.random());
      await this.#finish(ledger, job, delayedUntil(job.keys, retryAt));
      return { pauseUntil: openUntil };
    }
    if (this.pools.isClosing) return { retryAt: this.clock() };
    const attempted = await this.#run(destination, job.keys, ledger);
    await this.#finish(ledger, job, attempted);
    const left = await this.#runNext(destination, attempted, ledger);
    const now = this.clock();
    await ledger.requeue(retriesOf(left, now), { queue, job: null, now });
    return {};
  }

  /** Enqueues retries of the deliveries that are still pending, and publishes the states of all. */
  async #finish<Key, Job extends JobDeliveries<Key>>(
    ledger: Pick<Ledger<Key, never, Job>, 'requeue' | 'publish'>,
    job: Job,
    attempted: readonly Attempted<Key>[],
  ): Promise<void> {
    const now = this.clock();
    const retries = retriesOf(attempted, now);
    await ledger.requeue(retries, { queue: job.queue, job, now });
    ledger.publish(job, attempted, retries);
  }

  /**
   * Attempts the deliveries in a round. Repeats with those that wait behind an earlier one, as long as a round ends at
   * least one.
   */
  async #run<Key, Claim>(
    destination: Destination,
    keys: readonly Key[],
    ledger: Steps<Key, Claim>,
  ): Promise<Attempted<Key>[]> {
    const all: Attempted<Key>[] = [];
    let round = keys;
    while (round.length > 0) {
      const attempted = await this.#runRound(destination, round, ledger);
      const behind = attempted.filter(isBehind);
      const continues = behind.length < attempted.length && !this.pools.isClosing;
      all.push(...(continues ? attempted.filter((one) => !isBehind(one)) : attempted));
      round = continues ? behind.map(({ key }) => key) : [];
    }
    return all;
  }

  /**
   * Sends the deliveries that waited behind these, whichever jobs they came with. Resolves with those that are still pending,
   * also after many rounds or at the shutdown: their own jobs may be far off.
   */
  async #runNext<Key, Claim>(
    destination: Destination,
    attempted: readonly Attempted<Key>[],
    ledger: Steps<Key, Claim>,
  ): Promise<Attempted<Key>[]> {
    const pending: Attempted<Key>[] = [];
    let next = nextKeys(attempted, ledger);
    // At the shutdown another worker sends them.
    for (let round = 0; round < MAX_NEXT_ROUNDS && !this.pools.isClosing; round += 1) {
      if (next.length === 0) break;
      const sent = await this.#runRound(destination, next, ledger);
      pending.push(...sent.filter(({ progress }) => progress.state === 'pending'));
      next = nextKeys(sent, ledger);
    }
    return [...pending, ...delayedUntil(next, this.clock())];
  }

  /** Claims deliveries as slots get free, and attempts each once. */
  async #runRound<Key, Claim>(
    { lane, platform }: Destination,
    keys: readonly Key[],
    ledger: Steps<Key, Claim>,
  ): Promise<Attempted<Key>[]> {
    const { semaphore, transport } = this.pools.of(platform);
    const sizeOf = (key: Key): number => ledger.sizeOf?.(key) ?? 1;
    const runChunk = async (chunk: readonly Key[]): Promise<Attempted<Key>[]> => {
      const size = sumOf(chunk.map(sizeOf));
      const slots = await semaphore.acquire(lane, Math.min(size, semaphore.sizeOf(lane)));
      try {
        // Another worker takes the rest.
        if (this.pools.isClosing) return delayedUntil(chunk, this.clock());
        const claims = await ledger.claim(chunk);
        slots.expect(claims.length);
        // Only after all have settled: a push in flight must not be sent a second time.
        return await allSettled(
          claims.map(async (claimed): Promise<Attempted<Key>> => {
            const { key } = claimed;
            const turn = slots.take();
            if (turn !== undefined) {
              await turn;
              if (this.pools.isClosing && ledger.giveBack !== undefined) {
                slots.release();
                return { key, progress: await ledger.giveBack(claimed) };
              }
            }
            return { key, progress: await ledger.attempt(transport, claimed, slots) };
          }),
        );
      } finally {
        slots.releaseAll();
      }
    };
    return (await allSettled(semaphore.chunks(lane, keys, sizeOf).map(runChunk))).flat();
  }
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

const isBehind = <Key>({ progress }: Attempted<Key>): boolean =>
  progress.state === 'pending' && progress.behindForMs !== null;

const delayedUntil = <Key>(keys: readonly Key[], retryAt: number): Attempted<Key>[] =>
  keys.map((key) => ({ key, progress: { state: 'pending', retryAt, behindForMs: null } }));

/** Those that are pending; one behind another is claimed again after a delay. */
const retriesOf = <Key>(attempted: readonly Attempted<Key>[], now: number): Retry<Key>[] =>
  attempted.flatMap(({ key, progress }) => {
    if (progress.state !== 'pending') return [];
    const { behindForMs, retryAt } = progress;
    const soonest = behindForMs === null ? 0 : now + recheckDelayMs(behindForMs);
    return { key, at: Math.max(retryAt, soonest) };
  });

/** The deliveries that waited behind these, without those that were attempted with them. */
function nextKeys<Key, Claim>(
  attempted: readonly Attempted<Key>[],
  ledger: Steps<Key, Claim>,
): Key[] {
  const next = attempted.map(({ progress }) => progress.next ?? null).filter((key) => key !== null);
  if (next.length === 0) return next;
  const known = new Set(attempted.map(({ key }) => ledger.keyText(key)));
  return next.filter((key) => !known.has(ledger.keyText(key)));
}

/** Rejects with the first failure, after all have settled. */
async function allSettled<Value>(work: readonly Promise<Value>[]): Promise<Value[]> {
  const results = await Promise.allSettled(work);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
