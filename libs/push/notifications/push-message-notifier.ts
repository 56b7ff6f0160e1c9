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
import { acceptInPages, NotificationReview } from './decision/notification-review.js';
import { ReviewRepository } from './decision/review.repository.js';
import { DeliveryQueue } from './delivery-queue.js';
import { PAGE_RECIPIENTS } from './fan-out/message-fan-out.job.js';
import { MessageFanOuts } from './fan-out/message-fan-outs.js';
import {
  type AcceptOptions,
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
    const options = this.#options();
    const { channelId, recipientCount } = message;
    // One statement would take seconds, and the sender would wait for it.
    if (channelId !== null && recipientCount > PAGE_RECIPIENTS) {
      await this.fanOuts.add(transaction, { ...message, channelId }, options);
      return;
    }
    const accepted = await this.notifications.notify(transaction, message, options, recipientCount);
    this.#enqueue(transaction, accepted);
  }

  async edited(transaction: Transaction, edited: MessageEdit): Promise<void> {
    const { changedFor, addedFor, ...message } = edited;
    const options = this.#options();
    const accepted = await acceptInPages(addedFor, (userIds) =>
      this.notifications.notify(transaction, message, options, userIds),
    );
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

  #options(): AcceptOptions {
    return { timeToLiveMs: this.timeToLive.message, traceParent: currentTraceParent() };
  }

  /** No request waits for the queues: the sweeper finds missing jobs. */
  #enqueue(transaction: Transaction, accepted: readonly AcceptedDeliveries[]): void {
    transaction.afterCommit(() => void this.queue.enqueue(accepted));
  }
}
