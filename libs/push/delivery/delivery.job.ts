import { Injectable } from '@nestjs/common';
import type { JobPayload } from '#platform/contracts';
import { groupBy } from '#platform/core';
import type { JobContext, JobHandler, JobOutcome } from '#platform/queue';
import { PubSub } from '#platform/redis';
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
import type { Claimed } from './delivery-lease.js';
import {
  type Attempted,
  type DeliveryProgress,
  DeliveryRounds,
  type DeliverySteps,
} from './delivery-rounds.js';
import { DeliverySender } from './delivery-sender.js';
import { OutcomeHandler } from './outcome-handler.js';
import type { Slots } from './platform-pools.js';

/** Delivers the items of a job, enqueues retries of those that are still pending, and publishes the results. */
@Injectable()
export class DeliveryJob implements JobHandler<'notification.deliver'> {
  readonly jobName = 'notification.deliver';
  readonly #steps: DeliverySteps<DeliveryKey, Claim> = {
    claim: (keys) => this.claims.claim(keys),
    attempt: (transport, delivery, slots) => this.#attempt(transport, delivery, slots),
    keyText: ({ notificationId, deviceId }) => `${notificationId}/${deviceId}`,
  };

  constructor(
    private readonly rounds: DeliveryRounds,
    private readonly claims: DeliveryClaimRepository,
    private readonly sender: DeliverySender,
    private readonly outcomes: OutcomeHandler,
    private readonly queue: DeliveryQueue,
    private readonly pubSub: PubSub,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  handle(job: JobPayload<'notification.deliver'>, { queue }: JobContext): Promise<JobOutcome> {
    const items = job.v === 1 ? [{ id: job.notificationId, devices: job.deviceIds }] : job.items;
    const retry = (retries: readonly Retry<DeliveryKey>[], now: number) =>
      this.queue.enqueueRetries(queue, retries, now);
    const publish = (attempted: readonly Attempted<DeliveryKey>[]) =>
      this.#publish(items, attempted);
    const deliveries = { queue, keys: keysOf(items), retry, retryNext: retry, publish };
    return this.rounds.deliver(deliveries, this.#steps);
  }

  async #attempt(
    transport: PushTransport,
    { key, claim }: Claimed<DeliveryKey, Claim>,
    slots: Slots,
  ): Promise<DeliveryProgress<DeliveryKey>> {
    if (claim.kind !== 'due') {
      slots.release();
      return this.outcomes.handleClaim(key, claim);
    }
    const result = await this.sender.send(transport, claim);
    slots.release();
    return this.outcomes.handle(claim, result);
  }

  /** A gateway that misses the result reads the ledger. */
  #publish(items: readonly DeliveryItem[], attempted: readonly Attempted<DeliveryKey>[]): void {
    const awaited = new Set(items.flatMap(({ id, isAwaited }) => (isAwaited === true ? id : [])));
    if (awaited.size === 0) return;
    const results = attempted.filter(({ key }) => awaited.has(key.notificationId));
    for (const [id, group] of groupBy(results, ({ key }) => key.notificationId)) {
      const result: DeliveryResult = {
        v: 1,
        states: Object.fromEntries(
          group.map(({ key, progress }) => [key.deviceId, progress.state]),
        ),
      };
      this.pubSub.publish(resultTopic(id), result);
    }
  }
}

const keysOf = (items: readonly DeliveryItem[]): DeliveryKey[] =>
  items.flatMap(({ id, devices }) => devices.map((deviceId) => ({ notificationId: id, deviceId })));
