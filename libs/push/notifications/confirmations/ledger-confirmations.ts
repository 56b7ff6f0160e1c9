import { Inject, Injectable } from '@nestjs/common';
import { systemClock, uuidV7 } from '#platform/core';
import type { Transaction } from '#platform/database';
import { currentTraceParent } from '#platform/telemetry';
import type { UnconfirmedSubscription, WebPushConfirmations } from '#push/devices';
import { DeliveryQueue } from '../delivery-queue.js';
import { TIME_TO_LIVE, type TimeToLive } from '../notification.js';
import { ConfirmationRepository } from './confirmation.repository.js';

/** Sends the tokens of new subscriptions of Web Push as notifications. */
@Injectable()
export class LedgerConfirmations implements WebPushConfirmations {
  constructor(
    private readonly confirmations: ConfirmationRepository,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {}

  async send(transaction: Transaction, subscription: UnconfirmedSubscription): Promise<void> {
    const notificationId = uuidV7(systemClock());
    await this.confirmations.accept(transaction, {
      ...subscription,
      notificationId,
      timeToLiveMs: this.timeToLive.confirm,
      traceParent: currentTraceParent(),
    });
    const { id, userId, realmId } = subscription;
    const accepted = { notificationId, userId, realmId, platform: 'web', deviceIds: [id] } as const;
    transaction.afterCommit(() => void this.queue.enqueue([{ ...accepted, kind: 'confirm' }]));
  }
}
