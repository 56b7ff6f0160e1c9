import { Inject, Injectable } from '@nestjs/common';
import type { DeliveryState, JobPayload } from '#platform/contracts';
import { CLOCK, type Clock } from '#platform/core';
import { type JobContext, type JobHandler, type JobOutcome, PubSub } from '#platform/queue';
import { CircuitBreakers } from '#push/breakers';
import type { PushTransport } from '#push/providers';
import {
  type RemoteClaim,
  RemoteDeliveryQueue,
  RemoteDeliveryRepository,
  type RemoteRecord,
  type RemoteResult,
  remoteResultTopic,
} from '#push/remotes';
import {
  type DeliverySteps,
  type Destination,
  destinationOf,
  runNextRounds,
  runRounds,
} from '../delivery-rounds.js';
import { afterBreakerPause, recheckDelayMs } from '../delivery.rules.js';
import { PlatformPools, type Slots } from '../platform-pools.js';
import { endOf } from './remote-delivery.rules.js';
import { RemoteMetrics } from './remote-metrics.js';
import { RemoteSender } from './remote-sender.js';

/** The state of a delivery after an attempt. */
interface Reached {
  readonly id: number;
  readonly state: DeliveryState;
  /** The next attempt of a pending one, in UNIX milliseconds. */
  readonly retryAt: number;
  readonly isBehind: boolean;
  /** The next delivery to the device of one that has ended just now. */
  readonly next: number | null;
}

/** Claims deliveries of servers as slots get free, sends them, and records their outcomes. */
@Injectable()
export class RemoteDeliveries {
  readonly #steps: DeliverySteps<number, RemoteClaim | null, Reached> = {
    claim: (ids) => this.#claim(ids),
    attempt: (transport, [id, claim], slots) => this.#deliver(transport, id, claim, slots),
    leave: (id) => waiting(id, this.clock()),
    isBehind: ({ isBehind }) => isBehind,
    keyOf: ({ id }) => id,
    nextOf: ({ next }) => next,
    nameOf: (id) => id,
  };

  constructor(
    private readonly deliveries: RemoteDeliveryRepository,
    private readonly sender: RemoteSender,
    private readonly pools: PlatformPools,
    private readonly metrics: RemoteMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Attempts each delivery once; those behind an earlier one again, for as long as a round ends any. */
  run(destination: Destination, ids: readonly number[]): Promise<Reached[]> {
    return runRounds(this.pools, destination, ids, this.#steps);
  }

  /** Sends the deliveries that waited behind these; resolves with those that are left. */
  runNext(destination: Destination, reached: readonly Reached[]): Promise<number[]> {
    return runNextRounds(this.pools, destination, reached, this.#steps);
  }

  async #claim(ids: readonly number[]): Promise<[number, RemoteClaim | null][]> {
    const claims = await this.deliveries.claim(ids);
    return ids.map((id, index) => [id, claims[index] ?? null]);
  }

  /** Releases the slot as soon as the provider has answered. */
  async #deliver(
    transport: PushTransport,
    id: number,
    claim: RemoteClaim | null,
    slots: Slots,
  ): Promise<Reached> {
    if (claim === null || claim.state !== 'pending') {
      slots.release();
      return { ...waiting(id, 0), state: claim?.state ?? 'expired' };
    }
    const record = claim.isLeased ? await this.sender.send(transport, claim) : endOf(claim);
    slots.release();
    if (record === null) {
      const { behindUntil, acceptedAt, dueAt } = claim;
      return behindUntil === null
        ? waiting(id, dueAt)
        : { ...waiting(id, this.#afterEarlier(behindUntil, acceptedAt)), isBehind: true };
    }
    const next = await this.deliveries.record(record);
    this.metrics.recorded(claim, record);
    return { ...waiting(id, retryOf(record, this.clock())), state: record.state, next };
  }

  #afterEarlier(behindUntil: number, acceptedAt: number): number {
    const now = this.clock();
    return Math.max(behindUntil, now + recheckDelayMs(now - acceptedAt));
  }
}

const waiting = (id: number, retryAt: number): Reached => ({
  id,
  state: 'pending',
  retryAt,
  isBehind: false,
  next: null,
});

const retryOf = ({ dueAt }: RemoteRecord, now: number): number => dueAt?.getTime() ?? now;

/** Delivers notifications of servers, enqueues retries, and publishes the results. */
@Injectable()
export class RemoteDeliveryJob implements JobHandler<'remote.deliver'> {
  readonly jobName = 'remote.deliver';

  constructor(
    private readonly deliveries: RemoteDeliveries,
    private readonly pools: PlatformPools,
    private readonly breakers: CircuitBreakers,
    private readonly queue: RemoteDeliveryQueue,
    private readonly pubSub: PubSub,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  async handle(
    { deliveries: ids, requestId }: JobPayload<'remote.deliver'>,
    { queue }: JobContext,
  ): Promise<JobOutcome> {
    const destination = destinationOf(queue);
    const openUntil = this.breakers.openUntil(destination.platform);
    if (openUntil === null && this.pools.isClosing) return { retryAt: this.clock() };
    const reached =
      openUntil === null
        ? await this.deliveries.run(destination, ids)
        : ids.map((id) => heldUntil(id, openUntil));
    const pending = reached.filter(({ state }) => state === 'pending');
    const retries = pending.map(({ id, retryAt }) => ({ id, at: retryAt }));
    await this.queue.enqueueRetries(queue, retries, { requestId, now: this.clock() });
    if (requestId !== undefined) this.#publish(requestId, reached);
    const left = await this.deliveries.runNext(destination, reached);
    const now = this.clock();
    const others = left.map((id) => ({ id, at: now }));
    await this.queue.enqueueRetries(queue, others, { requestId: undefined, now });
    return openUntil === null ? {} : { pauseUntil: openUntil };
  }

  /** A gateway that misses the result reads the database. */
  #publish(requestId: string, reached: readonly Reached[]): void {
    const ended = reached.filter(({ state }) => state !== 'pending');
    const pending = reached.filter(({ state }) => state === 'pending');
    const result: RemoteResult = {
      v: 1,
      ended: Object.fromEntries(ended.map(({ id, state }) => [id, state])),
      waiting: Object.fromEntries(pending.map(({ id, retryAt }) => [id, retryAt])),
    };
    this.pubSub.publish(remoteResultTopic(requestId), result).catch(() => undefined);
  }
}

const heldUntil = (id: number, until: number): Reached =>
  waiting(id, afterBreakerPause(until, Math.random()));
