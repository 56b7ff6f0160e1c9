import { Injectable } from '@nestjs/common';
import type { ScreenRead } from '#chat/messages';
import { batched } from '#platform/core';
import { Database } from '#platform/database';
import { DeliveryQueue } from '../delivery-queue.js';
import { NotificationReview } from './notification-review.js';

/** Takes back messages that a worker was about to send and that their accounts do not want any more. */
@Injectable()
export class UnwantedMessages {
  /**
   * Marks a message as not pushed and removes it from the other phones of the account, unless the account wants it again by now.
   * Else a later change of settings would take it for one that phones show. Calls of the same moment share a transaction.
   */
  readonly takeBack = batched((messages: readonly ScreenRead[]) => this.#takeBack(messages));

  constructor(
    private readonly database: Database,
    private readonly review: NotificationReview,
    private readonly queue: DeliveryQueue,
  ) {}

  async #takeBack(messages: readonly ScreenRead[]): Promise<void[]> {
    const userIds = [...new Set(messages.map(({ userId }) => userId))];
    const messageIds = [...new Set(messages.map(({ messageId }) => messageId))];
    const concerned = { userIds, messageIds: messageIds.toSorted((one, other) => one - other) };
    const removed = await this.database.transaction((transaction) =>
      this.review.takeBack(transaction, concerned),
    );
    await this.queue.enqueue(removed);
    return messages.map(() => undefined);
  }
}
