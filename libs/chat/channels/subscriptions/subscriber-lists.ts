import { Injectable, Optional } from '@nestjs/common';
import { type Clock, systemClock } from '#platform/core';
import type { Session } from '#platform/database';
import { type Subscribers, SubscriptionRepository } from './subscription.repository.js';

/** The subscribers in a list of subscriptions: all, none, or at least the active ones. */
export type SubscriberSelection = 'true' | 'false' | 'partial';

/** A channel with fewer subscribers has a complete list. */
const MIN_PARTIAL = 250;

/** A partial list contains all subscribers who were active in this time. */
const ACTIVE_SECONDS = 14 * 86_400;

/** The list of a channel without subscribers. */
export const noSubscribers: Subscribers = { userIds: [], isComplete: true };

/** Reads the subscribers of channels. */
@Injectable()
export class SubscriberLists {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    @Optional() private readonly clock: Clock = systemClock,
  ) {}

  /** The selected subscribers by channel, in one statement; a channel without any has no entry. Null for none. */
  async of(
    channelIds: readonly number[],
    callerId: number,
    selection: SubscriberSelection,
    session?: Session,
  ): Promise<ReadonlyMap<number, Subscribers> | null> {
    if (selection === 'false') return null;
    if (selection === 'true') return this.subscriptions.subscribersOf(channelIds, session);
    const rule = {
      callerId,
      smallestPartial: MIN_PARTIAL,
      activeSince: Math.floor(this.clock() / 1000) - ACTIVE_SECONDS,
    };
    return this.subscriptions.partialSubscribersOf(channelIds, rule, session);
  }
}
