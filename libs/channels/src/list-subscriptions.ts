import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type Clock, CLOCK } from '#core';
import { type DescribedChannel, DescribeChannels } from './describe-channels.js';
import {
  type SubscribedChannel,
  type Subscribers,
  SubscriptionRepository,
} from './subscription.repository.js';

/** Which subscribers a list of subscriptions tells: all, none, or at least those who are about. */
export type WantedSubscribers = 'true' | 'false' | 'partial';

/** A channel that the caller is subscribed to. */
export interface DescribedSubscription extends DescribedChannel<SubscribedChannel> {
  /** Null when they were not asked for. */
  readonly subscribers: Subscribers | null;
}

/** A channel with fewer subscribers tells all of them, always. */
const SMALLEST_PARTIAL = 250;
/** Whoever was active in this time is told always. */
const ACTIVE_SECONDS = 14 * 86_400;

const nobody: Subscribers = { userIds: [], isComplete: true };

/** Lists what the caller is subscribed to. */
@Injectable()
export class ListSubscriptions {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly describeChannels: DescribeChannels,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The caller's subscriptions by the channels' names, archived ones included: a bounded number of statements. */
  async execute(caller: Caller, wanted: WantedSubscribers): Promise<DescribedSubscription[]> {
    const channels = await this.subscriptions.activeOf(caller.userId);
    const [described, subscribers] = await Promise.all([
      this.describeChannels.execute(caller.realm.id, channels),
      this.#subscribersOf(
        channels.map(({ id }) => id),
        caller,
        wanted,
      ),
    ]);
    return described.map((subscription) => ({
      ...subscription,
      subscribers: subscribers && (subscribers.get(subscription.channel.id) ?? nobody),
    }));
  }

  async #subscribersOf(
    channelIds: readonly number[],
    { userId }: Caller,
    wanted: WantedSubscribers,
  ): Promise<ReadonlyMap<number, Subscribers> | null> {
    if (wanted === 'false') return null;
    if (wanted === 'true') return this.subscriptions.subscribersOf(channelIds);
    return this.subscriptions.partialSubscribersOf(channelIds, {
      callerId: userId,
      smallestPartial: SMALLEST_PARTIAL,
      activeSince: Math.floor(this.clock() / 1000) - ACTIVE_SECONDS,
    });
  }
}
