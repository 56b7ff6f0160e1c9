import { Inject, Injectable } from '@nestjs/common';
import type {
  MessageEdit,
  MessageNotifier,
  MovedMessages,
  NewMessage,
  ScreenRead,
} from '#chat/messages';
import type { NotificationWishesHook } from '#directory/settings';
import type { Transaction } from '#platform/database';
import { currentTraceParent } from '#platform/telemetry';
import type { AcceptedDeliveries } from './acceptance.repository.js';
import { NotificationReview } from './decision/notification-review.js';
import { ReviewRepository } from './decision/review.repository.js';
import { DeliveryQueue } from './delivery-queue.js';
import { PAGE_RECIPIENTS } from './fan-out/message-fan-out.job.js';
import { MessageFanOuts } from './fan-out/message-fan-outs.js';
import {
  type MessageToNotify,
  MessageNotificationRepository,
} from './message-notification.repository.js';
import { TIME_TO_LIVE, type TimeToLive } from './notification.js';

/** Accepts the notifications of messages and their removals into the ledger, and enqueues them. */
@Injectable()
export class PushMessageNotifier implements MessageNotifier, NotificationWishesHook {
  constructor(
    private readonly notifications: MessageNotificationRepository,
    private readonly fanOuts: MessageFanOuts,
    private readonly review: NotificationReview,
    private readonly reviews: ReviewRepository,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {}

  async stored(transaction: Transaction, message: NewMessage): Promise<void> {
    this.#enqueue(transaction, await this.#notify(transaction, message, message.recipientCount));
  }

  async edited(transaction: Transaction, edited: MessageEdit): Promise<void> {
    const { changedFor, addedFor, ...message } = edited;
    const accepted = await this.#notify(transaction, message, addedFor);
    const concerned = { userIds: changedFor, messageIds: [message.id] };
    const removed = await this.review.takeBack(transaction, concerned);
    this.#enqueue(transaction, [...accepted, ...removed]);
  }

  async moved(transaction: Transaction, concerned: MovedMessages): Promise<void> {
    if (concerned.userIds.length === 0) return;
    this.#enqueue(transaction, await this.review.review(transaction, concerned));
  }

  async wishesChanged(transaction: Transaction, userId: number): Promise<void> {
    await this.reviews.add(transaction, userId, 'wishes');
    const concerned = { userIds: [userId], messageIds: null };
    this.#enqueue(transaction, await this.review.review(transaction, concerned));
  }

  async read(transaction: Transaction, messages: readonly ScreenRead[]): Promise<void> {
    this.#enqueue(transaction, await this.review.remove(transaction, messages, { areRead: true }));
  }

  /** `recipients`: see MessageNotificationRepository. */
  async #notify(
    transaction: Transaction,
    message: MessageToNotify,
    recipients: number | readonly number[],
  ): Promise<AcceptedDeliveries[]> {
    const options = { timeToLiveMs: this.timeToLive.message, traceParent: currentTraceParent() };
    const { channelId } = message;
    const count = typeof recipients === 'number' ? recipients : recipients.length;
    // One statement would take seconds, and the sender would wait for it.
    if (channelId !== null && count > PAGE_RECIPIENTS) {
      await this.fanOuts.add(transaction, { ...message, channelId }, options);
      return [];
    }
    return this.notifications.notify(transaction, message, options, recipients);
  }

  /** No request waits for the queues: the sweeper finds missing jobs. */
  #enqueue(transaction: Transaction, accepted: readonly AcceptedDeliveries[]): void {
    transaction.afterCommit(() => void this.queue.enqueue(accepted));
  }
}
