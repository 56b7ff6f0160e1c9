import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import {
  type PushJobs,
  type NewJob,
  platformQueue,
  type PushLane,
  type QueueName,
} from '#push/jobs';
import { batched, groupBy } from '#platform/core';
import { JobQueues } from '#platform/queue';
import { LocalCounter } from '#platform/rate-limits';
import { PUSH_OBSERVER, type PushObserver } from '#push/observability';
import { ownQueues, QUEUE_PLATFORM, type QueuePlatform } from '#push/relay';
import { type AcceptedDeliveries, devicesOf } from './acceptance.repository.js';
import {
  type DeliveryItem,
  deliveryJob,
  jobsOf,
  type Retry,
  retryJobs,
  routeOf,
  URGENT_PER_REALM,
  URGENT_PER_USER,
} from './delivery-jobs.rules.js';
import type { DeliveryKey } from './notification.js';

/** Accounts, and organisations, whose devices are counted. */
const MAX_COUNTED = 10_000;

interface RoutedItem {
  readonly lane: PushLane;
  readonly queue: QueueName;
  readonly priority: number | undefined;
  readonly item: DeliveryItem;
}

/**
 * Puts deliveries into the job queues. A job is a wake-up only: the sweeper adds again from PostgreSQL what did
 * not get in, so no method rejects. Deliveries of about the same time share a job, which costs far more than a
 * delivery.
 */
@Injectable()
export class DeliveryQueue {
  readonly #logger = new Logger(DeliveryQueue.name);
  readonly #ofUsers = new LocalCounter(URGENT_PER_USER, MAX_COUNTED);
  readonly #ofRealms = new LocalCounter(URGENT_PER_REALM, MAX_COUNTED);
  readonly #enqueue = batched((items: readonly RoutedItem[]) => this.#enqueueAll(items));

  constructor(
    private readonly queues: JobQueues<PushJobs>,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
    /** Left out in the command line. */
    @Optional() @Inject(QUEUE_PLATFORM) private readonly queuePlatform: QueuePlatform = ownQueues,
  ) {}

  /**
   * Adds the deliveries of one event. Resolves with false when Redis is down; await it only for that result.
   * `isAwaited`: the workers publish the results. `devicesBefore`: the number of devices of the same event that were added
   * before.
   */
  enqueue(
    accepted: readonly AcceptedDeliveries[],
    { isAwaited = false, devicesBefore = 0 } = {},
  ): Promise<boolean> {
    // The pages of one notification are routed as a whole.
    const inPages = accepted.filter(({ isPage, userId }) => isPage === true && userId !== null);
    let devicesOfEvent = devicesBefore + devicesOf(inPages);
    const items = accepted.map((one) => {
      if (!inPages.includes(one)) devicesOfEvent += one.deviceIds.length;
      return this.#route(one, devicesOfEvent, isAwaited);
    });
    for (const [index, { platform, kind, deviceIds }] of accepted.entries()) {
      const lane = items[index]?.lane ?? 'urgent';
      this.observer.accepted(platform, kind, lane, deviceIds.length);
    }
    return this.#enqueueEach(items);
  }

  /** Adds deliveries again whose job was lost. Resolves with false when Redis is down. */
  requeue(accepted: readonly AcceptedDeliveries[]): Promise<boolean> {
    return this.#enqueueEach(accepted.map((one) => this.#route(one, one.deviceIds.length, false)));
  }

  /** Adds delayed jobs to the queue that the deliveries came from. `now` is in UNIX milliseconds. */
  async enqueueRetries(
    queue: QueueName,
    retries: readonly Retry<DeliveryKey>[],
    now: number,
  ): Promise<void> {
    if (retries.length === 0) return;
    const jobs = retryJobs(retries, now, (keys) => jobsOf(itemsOf(keys)).map(deliveryJob));
    await this.#add(queue, jobs, retries.length);
  }

  async #enqueueEach(items: readonly RoutedItem[]): Promise<boolean> {
    const results = await Promise.all(items.map((item) => this.#enqueue(item)));
    return results.every(Boolean);
  }

  #route(accepted: AcceptedDeliveries, devicesOfEvent: number, isAwaited: boolean): RoutedItem {
    const { notificationId: id, kind, userId, realmId, platform, isPage } = accepted;
    const { deviceIds: devices } = accepted;
    const calls = devices.length;
    const { lane, priority } = routeOf(kind, {
      devicesOfEvent,
      devicesOfUser:
        userId === null ? 0 : this.#ofUsers.consume(`${userId}`, { calls }).consumedPoints,
      devicesOfRealm: this.#ofRealms.consume(`${realmId}`, { calls }).consumedPoints,
    });
    const queue = platformQueue(this.queuePlatform(platform), lane);
    return { lane, queue, priority, item: { id, devices, isPage, isAwaited } };
  }

  async #enqueueAll(items: readonly RoutedItem[]): Promise<boolean[]> {
    const byQueue = groupBy(items, ({ queue }) => queue);
    const results = await Promise.all(
      [...byQueue].map(
        async ([queue, group]) => [queue, await this.#enqueueInto(queue, group)] as const,
      ),
    );
    const isAdded = new Map(results);
    return items.map(({ queue }) => isAdded.get(queue) ?? false);
  }

  #enqueueInto(queue: QueueName, items: readonly RoutedItem[]): Promise<boolean> {
    const byPriority = groupBy(items, ({ priority }) => priority);
    const jobs = [...byPriority].flatMap(([priority, group]) =>
      jobsOf(group.map(({ item }) => item)).map((some) => ({
        ...deliveryJob(some),
        ...(priority === undefined ? {} : { priority }),
      })),
    );
    return this.#add(queue, jobs, items.length);
  }

  async #add(queue: QueueName, jobs: readonly NewJob[], count: number): Promise<boolean> {
    try {
      await this.queues.enqueueMany(queue, jobs);
      return true;
    } catch (error) {
      this.#logger.debug(`${count} deliveries wait for the sweeper: ${String(error)}`);
      return false;
    }
  }
}

const itemsOf = (keys: readonly DeliveryKey[]): DeliveryItem[] =>
  [...groupBy(keys, ({ notificationId }) => notificationId)].map(([id, group]) => {
    const page = group[0]?.page;
    return page === undefined
      ? { id, devices: group.map(({ deviceId }) => deviceId) }
      : { id, devices: page, isPage: true };
  });
