import { Injectable, Optional } from '@nestjs/common';
import { type DeliveryState, deliveryStates } from '#push/jobs';
import { type Clock, systemClock } from '#platform/core';
import { PubSub, type Subscription, type Topic } from '#platform/redis';
import { z } from 'zod';
import { TenantAcceptanceRepository } from './tenant-acceptance.repository.js';

const tenantResult = z.object({
  v: z.literal(1),
  /** By the id of the delivery. */
  ended: z.record(z.string(), z.enum(deliveryStates)),
  /** When those that have not ended are tried again, in UNIX milliseconds. */
  waiting: z.record(z.string(), z.number()),
});

/** The states of some deliveries of a request. */
export type TenantResult = z.infer<typeof tenantResult>;

/** The topic on which workers publish the results of a request. */
export const tenantResultTopic = (requestId: string): Topic<TenantResult> => ({
  name: `carillon:message:remote-${requestId}`,
  source: 'remote',
  schema: tenantResult,
});

/** The states that deliveries have reached, by their ids. */
type ReachedStates = ReadonlyMap<number, DeliveryState>;

/** Waits for the providers' answers to the notifications of a request. */
@Injectable()
export class TenantResults {
  constructor(
    private readonly deliveries: TenantAcceptanceRepository,
    private readonly pubSub: PubSub,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /**
   * Calls `start`, and waits until all deliveries have ended, wait for longer, or the time is over (UNIX milliseconds). It
   * does not wait if `start` resolves with false. Messages may be lost, so the database has the last word.
   */
  async wait(
    requestId: string,
    ids: readonly number[],
    until: number,
    start: () => Promise<boolean>,
  ): Promise<ReachedStates> {
    const results = await this.#subscribe(requestId);
    const reached = new Map<number, DeliveryState>();
    try {
      const isStarted = await start();
      if (isStarted && results !== null) await this.#collect(results, new Set(ids), until, reached);
    } finally {
      results?.close();
    }
    return reached.size === ids.length ? reached : this.deliveries.statesOf(ids);
  }

  async #collect(
    results: Subscription<TenantResult>,
    open: Set<number>,
    until: number,
    reached: Map<number, DeliveryState>,
  ): Promise<void> {
    for (let count = 1; open.size > 0; count += 1) {
      const messages = await results.receive(count, Math.max(0, until - this.clock()));
      const message = messages[count - 1];
      if (message === undefined) return;
      for (const [id, state] of Object.entries(message.ended)) {
        reached.set(Number(id), state);
        open.delete(Number(id));
      }
      for (const [id, at] of Object.entries(message.waiting)) {
        if (at >= until) open.delete(Number(id));
      }
    }
  }

  async #subscribe(requestId: string): Promise<Subscription<TenantResult> | null> {
    try {
      return await this.pubSub.subscribe(tenantResultTopic(requestId));
    } catch {
      return null;
    }
  }
}
