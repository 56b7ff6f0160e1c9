import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { SUBSCRIPTION_HOOK, type SubscriptionHook } from '../subscriptions/subscription-hook.js';
import { GuestVisibility } from './guest-visibility.js';
import {
  type NewSubscribers,
  SubscriberRepository,
} from '../subscriptions/subscriber.repository.js';
import { type SubscriptionChange, SubscriptionChangeEvents } from './subscription-change.events.js';

/** Begins and ends subscriptions with their events. */
@Injectable()
export class SubscriptionStore {
  constructor(
    private readonly subscribers: SubscriberRepository,
    private readonly events: SubscriptionChangeEvents,
    private readonly visibility: GuestVisibility,
    @Optional() @Inject(SUBSCRIPTION_HOOK) private readonly hook: SubscriptionHook | null = null,
  ) {}

  /**
   * Subscribes each account to each channel, under the lock of `lockSubscriptions`. Resolves with the new subscribers.
   * `newIds` are the channels that were created in the transaction.
   */
  async begin(
    transaction: Transaction,
    change: SubscriptionChange,
    colors: readonly { readonly id: number; readonly color: string }[],
    newIds: ReadonlySet<number>,
  ): Promise<NewSubscribers[]> {
    if (colors.length === 0) return [];
    const userIds = change.accounts.map(({ id }) => id);
    const subscribers = await this.subscribers.add(transaction, colors, userIds);
    if (subscribers.length > 0) await this.hook?.begun(transaction, subscribers);
    await this.visibility.begun(transaction, change, subscribers);
    await this.events.added(transaction, change, subscribers, newIds);
    return subscribers;
  }

  /** Ends the subscriptions of each account to each channel, under the same lock. Resolves with the number by channel. */
  async end(
    transaction: Transaction,
    change: SubscriptionChange,
  ): Promise<ReadonlyMap<number, number>> {
    const ids = change.channels.map(({ id }) => id);
    const userIds = change.accounts.map(({ id }) => id);
    const former = await this.subscribers.remove(transaction, ids, userIds);
    if (former.length > 0) await this.hook?.ended(transaction, former);
    const losing = await this.events.removed(transaction, change, former);
    await this.subscribers.forget(transaction, losing);
    await this.visibility.ended(transaction, change, former);
    return new Map(former.map((one) => [one.channelId, one.userIds.length]));
  }
}
