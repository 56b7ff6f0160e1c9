import { Inject, Injectable } from '@nestjs/common';
import type { JobPayload } from '#platform/contracts';
import { CLOCK, type Clock, groupBy } from '#platform/core';
import { type JobContext, type JobHandler, type JobOutcome, PubSub } from '#platform/queue';
import { CircuitBreakers } from '#push/breakers';
import {
  type DeliveryItem,
  type DeliveryKey,
  DeliveryQueue,
  type DeliveryResult,
  resultTopic,
  type Retry,
} from '#push/notifications';
import type { PushTransport } from '#push/providers';
import { type Claim, DeliveryClaimRepository } from './delivery-claim.repository.js';
import {
  type DeliverySteps,
  type Destination,
  destinationOf,
  runNextRounds,
  runRounds,
} from './delivery-rounds.js';
import { DeliverySender } from './delivery-sender.js';
import { afterBreakerPause, recheckDelayMs } from './delivery.rules.js';
import { OutcomeHandler, type Progress } from './outcome-handler.js';
import { PlatformPools, type Slots } from './platform-pools.js';

/** A delivery, and its progress after an attempt. */
export type Attempted = readonly [DeliveryKey, Progress];

/**
 * Claims deliveries as slots get free, sends those that are due, and handles the outcomes. Every method rejects
 * only when PostgreSQL is down.
 */
@Injectable()
export class DeliveryLoop {
  readonly #steps: DeliverySteps<DeliveryKey, Claim, Attempted> = {
    claim: (keys) => this.claims.claim(keys),
    attempt: async (transport, [key, claim], slots) => [
      key,
      await this.#deliver(transport, key, claim, slots),
    ],
    leave: (key) => [key, { state: 'pending', retryAt: this.clock(), behindForMs: null }],
    isBehind,
    keyOf: ([key]) => key,
    nextOf: ([, progress]) => (progress.state === 'pending' ? null : progress.next),
    nameOf: ({ notificationId, deviceId }) => `${notificationId}/${deviceId}`,
  };

  constructor(
    private readonly claims: DeliveryClaimRepository,
    private readonly sender: DeliverySender,
    private readonly outcomes: OutcomeHandler,
    private readonly pools: PlatformPools,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Attempts each delivery once; those behind an earlier one again, for as long as a round ends any. */
  run(destination: Destination, keys: readonly DeliveryKey[]): Promise<Attempted[]> {
    return runRounds(this.pools, destination, keys, this.#steps);
  }

  /** Sends the deliveries that waited behind these; resolves with those that are left. */
  runNext(destination: Destination, attempted: readonly Attempted[]): Promise<DeliveryKey[]> {
    return runNextRounds(this.pools, destination, attempted, this.#steps);
  }

  /** Releases the slot as soon as the provider has answered: recording the outcome needs none. */
  async #deliver(
    transport: PushTransport,
    key: DeliveryKey,
    claim: Claim,
    slots: Slots,
  ): Promise<Progress> {
    if (claim.kind !== 'due') {
      slots.release();
      return this.outcomes.handleClaim(key, claim);
    }
    const result = await this.sender.send(transport, claim);
    slots.release();
    return this.outcomes.handle(claim, result);
  }
}

const isBehind = ([, progress]: Attempted): boolean =>
  progress.state === 'pending' && progress.behindForMs !== null;

/** Delivers the items of a job, enqueues retries of those that are still pending, and publishes the results. */
@Injectable()
export class DeliveryJob implements JobHandler<'notification.deliver'> {
  readonly jobName = 'notification.deliver';

  constructor(
    private readonly loop: DeliveryLoop,
    private readonly pools: PlatformPools,
    private readonly breakers: CircuitBreakers,
    private readonly queue: DeliveryQueue,
    private readonly pubSub: PubSub,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  async handle(
    job: JobPayload<'notification.deliver'>,
    { queue }: JobContext,
  ): Promise<JobOutcome> {
    const destination = destinationOf(queue);
    const items = job.v === 1 ? [{ id: job.notificationId, devices: job.deviceIds }] : job.items;
    return this.#deliver(destination, items);
  }

  async #deliver(destination: Destination, items: readonly DeliveryItem[]): Promise<JobOutcome> {
    const keys = keysOf(items);
    const openUntil = this.breakers.openUntil(destination.platform);
    if (openUntil !== null) {
      const at = afterBreakerPause(openUntil, Math.random());
      await this.#retry(
        destination,
        keys.map((key) => retryOf(key, at)),
      );
      return { pauseUntil: openUntil };
    }
    if (this.pools.isClosing) return { retryAt: this.clock() };
    const attempted = await this.loop.run(destination, keys);
    await this.#retry(destination, this.#retriesOf(attempted));
    this.#publish(items, attempted);
    const left = await this.loop.runNext(destination, attempted);
    await this.#retry(
      destination,
      left.map((key) => retryOf(key, this.clock())),
    );
    return {};
  }

  #retry({ queue }: Destination, retries: readonly Retry[]): Promise<void> {
    return this.queue.enqueueRetries(queue, retries, this.clock());
  }

  #retriesOf(attempted: readonly Attempted[]): Retry[] {
    const now = this.clock();
    return attempted.flatMap(([key, progress]) => {
      if (progress.state !== 'pending') return [];
      const { behindForMs, retryAt } = progress;
      const soonest = behindForMs === null ? 0 : now + recheckDelayMs(behindForMs);
      return retryOf(key, Math.max(retryAt, soonest));
    });
  }

  /** A gateway that misses the result reads the ledger. */
  #publish(items: readonly DeliveryItem[], attempted: readonly Attempted[]): void {
    const awaited = new Set(items.flatMap(({ id, isAwaited }) => (isAwaited === true ? id : [])));
    if (awaited.size === 0) return;
    const results = attempted.filter(([key]) => awaited.has(key.notificationId));
    for (const [id, group] of groupBy(results, ([key]) => key.notificationId)) {
      const result: DeliveryResult = {
        v: 1,
        states: Object.fromEntries(group.map(([key, { state }]) => [key.deviceId, state])),
      };
      this.pubSub.publish(resultTopic(id), result).catch(() => undefined);
    }
  }
}

const retryOf = ({ notificationId, deviceId }: DeliveryKey, at: number): Retry => ({
  notificationId,
  deviceId,
  at,
});

const keysOf = (items: readonly DeliveryItem[]): DeliveryKey[] =>
  items.flatMap(({ id, devices }) => devices.map((deviceId) => ({ notificationId: id, deviceId })));
