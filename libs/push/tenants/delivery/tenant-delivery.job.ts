import { Injectable } from '@nestjs/common';
import type { JobContext, JobHandler, JobPayload } from '#push/jobs';
import type { JobOutcome } from '#platform/queue';
import { PubSub } from '#platform/redis';
import type { Retry } from '#push/notifications';
import type { PushTransport } from '#push/providers';
import { TenantDeliveryQueue } from '../notify/tenant-delivery-queue.js';
import { type TenantResult, tenantResultTopic } from '../notify/tenant-results.js';
import {
  type Attempted,
  type Claimed,
  type DeliveryProgress,
  DeliveryRounds,
  type JobDeliveries,
  type Ledger,
  type RequeuePlace,
  type Slots,
} from '#push/delivery';
import { type TenantClaim, TenantDeliveryRepository } from './tenant-delivery.repository.js';
import { endOf } from './tenant-delivery.rules.js';
import { TenantMetrics } from './tenant-metrics.js';
import { TenantSender } from './tenant-sender.js';

interface TenantJob extends JobDeliveries<number> {
  /** The topic of the results, if a request waits for them. */
  readonly requestId: string | undefined;
}

/** Delivers notifications of tenants, enqueues retries, and publishes the results. */
@Injectable()
export class TenantDeliveryJob
  implements JobHandler<'remote.deliver'>, Ledger<number, TenantClaim | null, TenantJob>
{
  readonly jobName = 'remote.deliver';

  constructor(
    private readonly rounds: DeliveryRounds,
    private readonly deliveries: TenantDeliveryRepository,
    private readonly sender: TenantSender,
    private readonly metrics: TenantMetrics,
    private readonly queue: TenantDeliveryQueue,
    private readonly pubSub: PubSub,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  handle(
    { deliveries: keys, requestId }: JobPayload<'remote.deliver'>,
    { queue }: JobContext,
  ): Promise<JobOutcome> {
    return this.rounds.deliver(this, { queue, keys, requestId });
  }

  keyText(id: number): string {
    return `${id}`;
  }

  requeue(
    retries: readonly Retry<number>[],
    { queue, job, now }: RequeuePlace<TenantJob>,
  ): Promise<void> {
    return this.queue.enqueueRetries(queue, retries, { requestId: job?.requestId, now });
  }

  async claim(ids: readonly number[]): Promise<Claimed<number, TenantClaim | null>[]> {
    const claims = await this.deliveries.claim(ids);
    return ids.map((key, index) => ({ key, claim: claims[index] ?? null }));
  }

  async attempt(
    transport: PushTransport,
    { claim }: Claimed<number, TenantClaim | null>,
    slots: Slots,
  ): Promise<DeliveryProgress<number>> {
    if (claim?.state !== 'pending') {
      slots.release();
      return { state: claim?.state ?? 'expired', next: null };
    }
    const record = claim.isLeased ? await this.sender.send(transport, claim) : endOf(claim);
    slots.release();
    if (record === null) return notYet(claim);
    const next = await this.deliveries.record(record);
    this.metrics.recorded(claim, record);
    const { state, dueAt } = record;
    return state === 'pending'
      ? { state, retryAt: dueAt?.getTime() ?? claim.dueAt, behindForMs: null, next }
      : { state, next };
  }

  /** A gateway that misses the result reads the database. */
  publish(
    { requestId }: TenantJob,
    attempted: readonly Attempted<number>[],
    retries: readonly Retry<number>[],
  ): void {
    if (requestId === undefined) return;
    const ended = attempted.flatMap(({ key, progress: { state } }) =>
      state === 'pending' ? [] : [[key, state]],
    );
    const result: TenantResult = {
      v: 1,
      ended: Object.fromEntries(ended),
      waiting: Object.fromEntries(retries.map(({ key, at }) => [key, at])),
    };
    this.pubSub.publish(tenantResultTopic(requestId), result);
  }
}

const notYet = ({
  behindUntil,
  dueAt,
  databaseNow,
  acceptedAt,
}: TenantClaim): DeliveryProgress<number> => ({
  state: 'pending',
  retryAt: behindUntil ?? dueAt,
  behindForMs: behindUntil === null ? null : databaseNow - acceptedAt,
});
