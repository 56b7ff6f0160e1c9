import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { platformQueue, type PushLane, type QueueName } from '#contracts';
import { groupBy } from '#core';
import { JobQueues } from '#queue';
import { gathered } from '../gather.js';
import { PUSH_OBSERVER, type PushObserver } from '../observe/push-observer.js';
import type { AcceptedDeliveries } from './accepted-deliveries.js';
import { type DeliveryItem, deliveryJob, jobsOf } from './delivery-jobs.rules.js';
import { placingOf } from './lane.rules.js';

const LOAD_WINDOW_MS = 1000;
const MOST_REMEMBERED = 10_000;

/** A notification on its way into a queue. */
interface Placed {
  readonly lane: PushLane;
  readonly queue: QueueName;
  readonly priority: number | undefined;
  readonly item: DeliveryItem;
}

/**
 * Puts the jobs of accepted notifications into their queues. What is accepted at about the same time shares
 * a job, since a job costs far more than a delivery.
 */
@Injectable()
export class WakeDeliveries {
  readonly #logger = new Logger(WakeDeliveries.name);
  readonly #recent = new LRUCache<string, number>({ max: MOST_REMEMBERED, ttl: LOAD_WINDOW_MS });
  readonly #enqueue = gathered((placed: readonly Placed[]) => this.#enqueueAll(placed));

  constructor(
    private readonly queues: JobQueues,
    @Inject(PUSH_OBSERVER) private readonly observer: PushObserver,
  ) {}

  /**
   * Takes what was accepted of one event. Resolves with false when the queues cannot be reached: the sweeper
   * then does it later. Nobody need wait for it but who must know. `isAwaited`: somebody waits to hear what
   * comes of it.
   */
  execute(accepted: readonly AcceptedDeliveries[], isAwaited = false): Promise<boolean> {
    let devicesOfEvent = 0;
    const placed = accepted.map((one) => {
      devicesOfEvent += one.deviceIds.length;
      return this.#place(one, devicesOfEvent, isAwaited);
    });
    for (const [index, { platform, kind, deviceIds }] of accepted.entries()) {
      const lane = placed[index]?.lane ?? 'urgent';
      this.observer.accepted(platform, kind, lane, deviceIds.length);
    }
    return this.#enqueueEach(placed);
  }

  /** The same for what was accepted before, and has lost its job. */
  again(accepted: readonly AcceptedDeliveries[]): Promise<boolean> {
    return this.#enqueueEach(accepted.map((one) => this.#place(one, one.deviceIds.length, false)));
  }

  async #enqueueEach(placed: readonly Placed[]): Promise<boolean> {
    const results = await Promise.all(placed.map((one) => this.#enqueue(one)));
    return results.every(Boolean);
  }

  #place(accepted: AcceptedDeliveries, devicesOfEvent: number, isAwaited: boolean): Placed {
    const { notificationId: id, kind, userId, realmId, platform, deviceIds: devices } = accepted;
    const { lane, priority } = placingOf(kind, {
      devicesOfEvent,
      devicesOfUser: this.#count(`u${userId}`, devices.length),
      devicesOfRealm: this.#count(`r${realmId}`, devices.length),
    });
    const queue = platformQueue(platform, lane);
    return { lane, queue, priority, item: { id, devices, isAwaited } };
  }

  /** How many devices of an account or an organisation this process has placed within the last second. */
  #count(key: string, devices: number): number {
    const count = (this.#recent.get(key) ?? 0) + devices;
    this.#recent.set(key, count, { noUpdateTTL: true });
    return count;
  }

  async #enqueueAll(placed: readonly Placed[]): Promise<boolean[]> {
    const byQueue = groupBy(placed, ({ queue }) => queue);
    const reached = await Promise.all(
      [...byQueue].map(
        async ([queue, group]) => [queue, await this.#enqueueInto(queue, group)] as const,
      ),
    );
    const isReached = new Map(reached);
    return placed.map(({ queue }) => isReached.get(queue) ?? false);
  }

  async #enqueueInto(queue: QueueName, placed: readonly Placed[]): Promise<boolean> {
    const byPriority = groupBy(placed, ({ priority }) => priority);
    const jobs = [...byPriority].flatMap(([priority, group]) =>
      jobsOf(group.map(({ item }) => item)).map((items) => ({
        ...deliveryJob(items),
        ...(priority === undefined ? {} : { priority }),
      })),
    );
    try {
      await this.queues.enqueueMany(queue, jobs);
      return true;
    } catch (error) {
      this.#logger.debug(`${placed.length} notifications wait for the sweeper: ${String(error)}`);
      return false;
    }
  }
}
