import { Injectable } from '@nestjs/common';
import type { JobPayload } from '#platform/contracts';
import type { JobContext, JobHandler, JobOutcome } from '#platform/queue';
import { PubSub } from '#platform/redis';
import type { Retry } from '#push/notifications';
import type { PushTransport } from '#push/providers';
import { RemoteDeliveryQueue, type RemoteResult, remoteResultTopic } from '#push/tenants';
import type { Claimed } from '../delivery-lease.js';
import {
  type Attempted,
  type DeliveryProgress,
  DeliveryRounds,
  type DeliverySteps,
} from '../delivery-rounds.js';
import type { Slots } from '../platform-pools.js';
import { type RemoteClaim, RemoteDeliveryRepository } from './remote-delivery.repository.js';
import { endOf } from './remote-delivery.rules.js';
import { RemoteMetrics } from './remote-metrics.js';
import { RemoteSender } from './remote-sender.js';

/** Delivers notifications of servers, enqueues retries, and publishes the results. */
@Injectable()
export class RemoteDeliveryJob implements JobHandler<'remote.deliver'> {
  readonly jobName = 'remote.deliver';
  readonly #steps: DeliverySteps<number, RemoteClaim | null> = {
    claim: (ids) => this.#claim(ids),
    attempt: (transport, { claim }, slots) => this.#attempt(transport, claim, slots),
    keyText: (id) => `${id}`,
  };

  constructor(
    private readonly rounds: DeliveryRounds,
    private readonly deliveries: RemoteDeliveryRepository,
    private readonly sender: RemoteSender,
    private readonly metrics: RemoteMetrics,
    private readonly queue: RemoteDeliveryQueue,
    private readonly pubSub: PubSub,
  ) {}

  /** Rejects only when PostgreSQL is down. */
  handle(
    { deliveries: keys, requestId }: JobPayload<'remote.deliver'>,
    { queue }: JobContext,
  ): Promise<JobOutcome> {
    const deliveries = {
      queue,
      keys,
      retry: (retries: readonly Retry<number>[], now: number) =>
        this.queue.enqueueRetries(queue, retries, { requestId, now }),
      retryNext: (retries: readonly Retry<number>[], now: number) =>
        this.queue.enqueueRetries(queue, retries, { requestId: undefined, now }),
      publish: (attempted: readonly Attempted<number>[], retries: readonly Retry<number>[]) =>
        this.#publish(requestId, attempted, retries),
    };
    return this.rounds.deliver(deliveries, this.#steps);
  }

  async #claim(ids: readonly number[]): Promise<Claimed<number, RemoteClaim | null>[]> {
    const claims = await this.deliveries.claim(ids);
    return ids.map((key, index) => ({ key, claim: claims[index] ?? null }));
  }

  async #attempt(
    transport: PushTransport,
    claim: RemoteClaim | null,
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
      ? { state, retryAt: dueAt?.getTime() ?? claim.dueAt, behindForMs: null }
      : { state, next };
  }

  /** A gateway that misses the result reads the database. */
  #publish(
    requestId: string | undefined,
    attempted: readonly Attempted<number>[],
    retries: readonly Retry<number>[],
  ): void {
    if (requestId === undefined) return;
    const ended = attempted.flatMap(({ key, progress: { state } }) =>
      state === 'pending' ? [] : [[key, state]],
    );
    const result: RemoteResult = {
      v: 1,
      ended: Object.fromEntries(ended),
      waiting: Object.fromEntries(retries.map(({ key, at }) => [key, at])),
    };
    this.pubSub.publish(remoteResultTopic(requestId), result);
  }
}

const notYet = ({
  behindUntil,
  dueAt,
  databaseNow,
  acceptedAt,
}: RemoteClaim): DeliveryProgress<number> => ({
  state: 'pending',
  retryAt: behindUntil ?? dueAt,
  behindForMs: behindUntil === null ? null : databaseNow - acceptedAt,
});
