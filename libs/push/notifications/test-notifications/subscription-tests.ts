import { Inject, Injectable } from '@nestjs/common';
import { type AccountKey, ApiError } from '#platform/contracts';
import { systemClock, uuidV7 } from '#platform/core';
import { currentTraceParent } from '#platform/telemetry';
import { webPushErrors } from '#push/devices';
import { AcceptanceRepository } from '../acceptance.repository.js';
import { DeliveryQueue } from '../delivery-queue.js';
import { TIME_TO_LIVE, type TimeToLive } from '../notification.js';

/** Sends test notifications to subscriptions of Web Push. A server that relays sends them itself, too. */
@Injectable()
export class SubscriptionTests {
  constructor(
    private readonly acceptances: AcceptanceRepository,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {}

  /** Resolves when PostgreSQL has the notification. Rejects with `noWebPushSubscription`. */
  async send({ userId, keyGeneration }: AccountKey, subscriptionId: number): Promise<void> {
    const now = systemClock();
    const acceptance = await this.acceptances.accept({
      id: uuidV7(now),
      userId,
      keyGeneration,
      to: { kind: 'web', deviceId: subscriptionId },
      content: { kind: 'test', time: Math.floor(now / 1000) },
      timeToLiveMs: this.timeToLive.test,
      traceParent: currentTraceParent(),
      requestKey: null,
    });
    if (acceptance.kind !== 'accepted') throw new ApiError(webPushErrors.noWebPushSubscription);
    void this.queue.enqueue(acceptance.deliveries);
  }
}
