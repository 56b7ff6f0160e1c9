import { Inject, Injectable } from '@nestjs/common';
import type { MessageNotifier, NewMessage, ReadOnScreen } from '#chat/messages';
import { groupBy, slicesOf } from '#platform/core';
import type { Transaction } from '#platform/database';
import { currentTraceParent } from '#platform/telemetry';
import type { AcceptedDeliveries } from './acceptance.repository.js';
import { DeliveryQueue } from './delivery-queue.js';
import { PAGE_RECIPIENTS } from './fan-out/message-fan-out.job.js';
import { MessageFanOuts } from './fan-out/message-fan-outs.js';
import {
  type AcceptOptions,
  MessageNotificationRepository,
  type Removal,
} from './message-notification.repository.js';
import { TIME_TO_LIVE, type TimeToLive } from './notification.js';

/** Accepts the notifications of messages and their removals into the ledger, and enqueues them. */
@Injectable()
export class PushMessageNotifier implements MessageNotifier {
  constructor(
    private readonly notifications: MessageNotificationRepository,
    private readonly fanOuts: MessageFanOuts,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {}

  async stored(transaction: Transaction, message: NewMessage): Promise<() => void> {
    const options = this.#options(this.timeToLive.message);
    const { channelId, recipientCount = 0, onlyTo } = message;
    // One statement would take seconds, and the sender would wait for it.
    if (channelId !== null && recipientCount > PAGE_RECIPIENTS) {
      return this.fanOuts.add(transaction, { ...message, channelId }, options);
    }
    if (onlyTo === undefined) {
      return this.#enqueuing(await this.notifications.notify(transaction, message, options));
    }
    return this.#enqueuing(
      await acceptInPages(onlyTo, (page) =>
        this.notifications.notify(transaction, { ...message, onlyTo: page }, options),
      ),
    );
  }

  async read(transaction: Transaction, messages: readonly ReadOnScreen[]): Promise<() => void> {
    const options = this.#options(this.timeToLive.remove);
    return this.#enqueuing(
      await acceptInPages(removalsOf(messages), (page) =>
        this.notifications.remove(transaction, page, options),
      ),
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

/** More ids do not fit into a payload. */
const MAX_REMOVED = 200;

/** One removal for each account: the newest of its messages that have been read, in ascending order. */
export const removalsOf = (messages: readonly ReadOnScreen[]): Removal[] =>
  [...groupBy(messages, ({ userId }) => userId)].map(([userId, read]) => ({
    userId,
    content: { kind: 'remove', messageIds: newest(read.map(({ messageId }) => messageId)) },
  }));

const newest = (messageIds: readonly number[]): number[] =>
  messageIds.toSorted((one, other) => one - other).slice(-MAX_REMOVED);
