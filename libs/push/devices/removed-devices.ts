import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { WorkInFlight } from '#platform/core';
import { PubSub, type Topic } from '#platform/queue';

const deviceRemoval = z.object({ v: z.literal(1), id: z.uuid(), deviceIds: z.array(z.int()) });

/** All workers subscribe to it. */
const deviceRemovals: Topic<z.infer<typeof deviceRemoval>> = {
  name: 'device-removals',
  source: 'device-removals',
  schema: deviceRemoval,
};

const ack = z.object({ v: z.literal(1) });

/** The topic on which workers acknowledge a removal. */
const removalAcks = (id: string): Topic<z.infer<typeof ack>> => ({
  name: `device-removal-heard-${id}`,
  source: 'device-removal-heard',
  schema: ack,
});

/** A removal waits no longer for a worker that has died, or for a provider that does not answer it. */
const ACK_DEADLINE_MS = 500;

/** Announces removed devices to all workers, which may have read them for a push before. */
@Injectable()
export class DeviceRemovals {
  readonly #logger = new Logger(DeviceRemovals.name);

  constructor(private readonly pubSub: PubSub) {}

  /**
   * Called after the commit. When it resolves, no worker starts another push to the devices, and the pushes in flight are
   * answered; unless Redis is down or a worker is too slow. Never rejects.
   */
  async announce(deviceIds: readonly number[]): Promise<void> {
    if (deviceIds.length === 0) return;
    const id = randomUUID();
    try {
      const message = { v: 1 as const, id, deviceIds: [...deviceIds] };
      await this.pubSub.publishAcknowledged(
        deviceRemovals,
        message,
        removalAcks(id),
        ACK_DEADLINE_MS,
      );
    } catch (error) {
      this.#logger.debug(`A removal was not published to the workers: ${String(error)}`);
    }
  }
}

/** Longer than the time between a claim and its push; a later claim does not find the device. */
const KEPT_MS = 300_000;
const MAX_KEPT = 100_000;

/** The devices that were removed in the last minutes. A sender checks them right before it writes a push to the connection. */
@Injectable()
export class RemovedDevices implements OnModuleInit {
  readonly #removed = new LRUCache<number, true>({ max: MAX_KEPT, ttl: KEPT_MS });
  readonly #inFlight = new WorkInFlight<number>();

  constructor(private readonly pubSub: PubSub) {}

  onModuleInit(): void {
    this.pubSub.onMessage(deviceRemovals, (message) => this.#remove(message));
  }

  has(deviceId: number): boolean {
    return this.#removed.has(deviceId);
  }

  /** A removal of the device waits for this push. */
  track<Result>(deviceId: number, push: Promise<Result>): Promise<Result> {
    return this.#inFlight.track(deviceId, push);
  }

  async #remove({ id, deviceIds }: z.infer<typeof deviceRemoval>): Promise<void> {
    for (const deviceId of deviceIds) this.#removed.set(deviceId, true);
    await this.#inFlight.settled(deviceIds);
    await this.pubSub.publish(removalAcks(id), { v: 1 }).catch(() => undefined);
  }
}
