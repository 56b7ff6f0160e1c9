import { Inject, Injectable } from '@nestjs/common';
import type {
  EditedMessage,
  MessageNotifier,
  MovedMessages,
  NewMessage,
  ReadOnScreen,
} from '#chat/messages';
import type { NotificationWishesHook } from '#directory/settings';
import { groupBy, slicesOf } from '#platform/core';
import type { Transaction } from '#platform/database';
import { currentTraceParent } from '#platform/telemetry';
import { removalPages } from '#push/providers';
import type { AcceptedDeliveries } from './acceptance.repository.js';
import { DecidedAgainRepository } from './decision/decided-again.repository.js';
import { DeferralRepository } from './deferrals/deferral.repository.js';
import { DeliveryQueue } from './delivery-queue.js';
import { PAGE_RECIPIENTS } from './fan-out/message-fan-out.job.js';
import { MessageFanOuts } from './fan-out/message-fan-outs.js';
import {
  type AcceptOptions,
  MessageNotificationRepository,
  type Removal,
} from './message-notification.repository.js';
import { TIME_TO_LIVE, type TimeToLive } from './notification.js';

/** Messages that are decided again for some accounts; null for all of their messages. */
interface ConcernedMessages {
  readonly userIds: readonly number[];
  readonly messageIds: readonly number[] | null;
}

/** Accepts the notifications of messages and their removals into the ledger, and enqueues them. */
@Injectable()
export class PushMessageNotifier implements MessageNotifier, NotificationWishesHook {
  constructor(
    private readonly notifications: MessageNotificationRepository,
    private readonly fanOuts: MessageFanOuts,
    private readonly decidedAgain: DecidedAgainRepository,
    private readonly deferrals: DeferralRepository,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {}

  async stored(transaction: Transaction, message: NewMessage): Promise<() => void> {
    const options = this.#options(this.timeToLive.message);
    const { channelId, recipientCount } = message;
    // One statement would take seconds, and the sender would wait for it.
    if (channelId !== null && recipientCount > PAGE_RECIPIENTS) {
      return this.fanOuts.add(transaction, { ...message, channelId }, options);
    }
    return this.#enqueuing(await this.notifications.notify(transaction, message, options));
  }

  async edited(transaction: Transaction, edited: EditedMessage): Promise<() => void> {
    const { changedFor, addedFor, ...message } = edited;
    const options = this.#options(this.timeToLive.message);
    const accepted = await acceptInPages(addedFor, (onlyTo) =>
      this.notifications.notify(transaction, { ...message, onlyTo }, options),
    );
    const concerned = { userIds: changedFor, messageIds: [message.id] };
    const removed = await this.#takeBack(transaction, concerned);
    return this.#enqueuing([...accepted, ...removed]);
  }

  async moved(
    transaction: Transaction,
    { messageIds, userIds }: MovedMessages,
  ): Promise<() => void> {
    return this.#decideAgain(transaction, { userIds, messageIds });
  }

  async wishesChanged(transaction: Transaction, userId: number): Promise<() => void> {
    return this.#decideAgain(transaction, { userIds: [userId], messageIds: null });
  }

  /** Takes back what the accounts do not want any more; defers the decision about what they want now. */
  async #decideAgain(transaction: Transaction, concerned: ConcernedMessages): Promise<() => void> {
    if (concerned.userIds.length === 0) return () => undefined;
    const removed = await this.#takeBack(transaction, concerned);
    const wanted = await this.decidedAgain.wantedFrom(transaction, concerned);
    await this.deferrals.add(transaction, wanted);
    return this.#enqueuing(removed);
  }

  async #takeBack(
    transaction: Transaction,
    concerned: ConcernedMessages,
  ): Promise<AcceptedDeliveries[]> {
    return this.#remove(transaction, await this.decidedAgain.takeBack(transaction, concerned));
  }

  async read(transaction: Transaction, messages: readonly ReadOnScreen[]): Promise<() => void> {
    return this.#enqueuing(await this.#remove(transaction, messages));
  }

  #remove(
    transaction: Transaction,
    messages: readonly ReadOnScreen[],
  ): Promise<AcceptedDeliveries[]> {
    const options = this.#options(this.timeToLive.remove);
    return acceptInPages(removalsOf(messages), (page) =>
      this.notifications.remove(transaction, page, options),
    );
  }

  #options(timeToLiveMs: number): AcceptOptions {
    return { timeToLiveMs, traceParent: currentTraceParent() };
  }

  /** No request waits for the queues: the sweeper finds missing jobs. */
  #enqueuing(accepted: readonly AcceptedDeliveries[]): () => void {
    return () => void this.queue.enqueue(accepted);
  }
}

/** One statement for all accounts could take longer than PostgreSQL permits. */
async function acceptInPages<Item>(
  items: readonly Item[],
  accept: (page: readonly Item[]) => Promise<AcceptedDeliveries[]>,
): Promise<AcceptedDeliveries[]> {
  const pages: AcceptedDeliveries[][] = [];
  for (const page of slicesOf(items, PAGE_RECIPIENTS)) pages.push(await accept(page));
  return pages.flat();
}

/** The removals for each account, as many as its messages need. */
export const removalsOf = (messages: readonly ReadOnScreen[]): Removal[] =>
  [...groupBy(messages, ({ userId }) => userId)].flatMap(([userId, read]) =>
    removalPages(read.map(({ messageId }) => messageId)).map((messageIds) => ({
      userId,
      content: { kind: 'remove', messageIds },
    })),
  );
