import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler, JobPayload } from '#push/jobs';
import { groupBy } from '#platform/core';
import type { JobOutcome } from '#platform/queue';
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
import type { Claim } from './delivery-claim.repository.js';
import { DeliveryClaims } from './delivery-claims.js';
import type { Claimed } from './delivery-lease.js';
import { DeliveryRounds } from './delivery-rounds.js';
import { DeliverySender } from './delivery-sender.js';
import type { Attempted, DeliveryProgress, JobDeliveries, Ledger, RequeuePlace } from './ledger.js';
import { OutcomeHandler } from './outcome-handler.js';
import type { Slots } from './platform-pools.js';

interface OwnJob extends JobDeliveries<DeliveryKey> {
  readonly items: readonly DeliveryItem[];
}

/** Delivers the items of a job, enqueues retries of those that are still pending, and publishes the results. */
@Injectable()
export class DeliveryJob
  implements JobHandler<'notification.deliver'>, Ledger<DeliveryKey, Claim, OwnJob>
{
  readonly jobName = 'notification.deliver';

  constructor(
    private readonly rounds: DeliveryRounds,
    private readonly claims: DeliveryClaims,
    private readonly sender: DeliverySender,
    private readonly outcomes: OutcomeHandler,
    private readonly queue: DeliveryQueue,
    private readonly pubSub: PubSub,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  handle(job: JobPayload<'notification.deliver'>, { queue }: JobContext): Promise<JobOutcome> {
    const items = job.v === 1 ? [{ id: job.notificationId, devices: job.deviceIds }] : job.items;
    return this.rounds.deliver(this, { queue, keys: keysOf(items), items });
  }

  sizeOf({ page }: DeliveryKey): number {
    return page?.length ?? 1;
  }

  claim(keys: readonly DeliveryKey[]): Promise<readonly Claimed<DeliveryKey, Claim>[]> {
    return this.claims.claim(keys);
  }

  keyText({ notificationId, deviceId }: DeliveryKey): string {
    return `${notificationId}/${deviceId}`;
  }

  requeue(
    retries: readonly Retry<DeliveryKey>[],
    { queue, now }: RequeuePlace<OwnJob>,
  ): Promise<void> {
    return this.queue.enqueueRetries(queue, retries, now);
  }

  async attempt(
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

  giveBack({ key, claim }: Claimed<DeliveryKey, Claim>): Promise<DeliveryProgress<DeliveryKey>> {
    return claim.kind === 'due'
      ? this.outcomes.handle(claim, { kind: 'lease_too_old' })
      : this.outcomes.handleClaim(key, claim);
  }

  /** A gateway that misses the result reads the ledger. */
  publish({ items }: OwnJob, attempted: readonly Attempted<DeliveryKey>[]): void {
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
  items.flatMap(({ id, devices, isPage }): DeliveryKey[] =>
    isPage === true
      ? [{ notificationId: id, deviceId: 0, page: devices }]
      : devices.map((deviceId) => ({ notificationId: id, deviceId })),
  );
