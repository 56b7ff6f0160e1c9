import { Injectable } from '@nestjs/common';
import type { MembershipChange } from '#directory/groups';
import { type EventType, isCapable } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { ChannelDescriber } from '../listing/channel-describer.js';
import { ChannelViewers } from './channel-viewers.js';
import { visibilityChanges, type VisibilityChange } from './channel-visibility.rules.js';
import { ChannelVisibilityRepository } from './channel-visibility.repository.js';
import { toChannelResponse } from '../listing/channels.response.js';
import { SubscriberRepository } from '../subscriptions/subscriber.repository.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { subscriptionEventType } from '../subscriptions/subscriptions.events.js';

/**
 * The events of channels. For clients without the capability an archived channel has ended, and they do not learn of one
 * that is archived already. One that is brought back is new to them; `is_reset` marks one that is new to all clients.
 */
export const channelEventType: EventType = {
  type: 'stream',
  formsOf: ({ is_archived: isArchived, is_reset: isReset, ...body }, options) => {
    const { stream_id: id, streams, ...change } = body;
    const changesArchiving = body['property'] === 'is_archived';
    if (isCapable(options, 'archived_channels')) {
      if (isReset === true) return [endOf(streams as readonly ShownChannel[]), body];
      return [changesArchiving ? { ...change, stream_id: id } : body];
    }
    if (isArchived === true) return [];
    if (!changesArchiving) return [body];
    return [
      body['value'] === true
        ? { op: 'delete', streams: [{ stream_id: id }], stream_ids: [id] }
        : { op: 'create', streams },
    ];
  },
};

type ShownChannel = Readonly<Record<'stream_id', number>>;

const endOf = (channels: readonly ShownChannel[]): object => {
  const ids = channels.map(({ stream_id }) => stream_id);
  return { op: 'delete', streams: ids.map((stream_id) => ({ stream_id })), stream_ids: ids };
};

/** The events of channels that accounts gain or lose sight of when groups or their role change. */
@Injectable()
export class ChannelVisibilityEvents {
  constructor(
    private readonly viewers: ChannelViewers,
    private readonly visibility: ChannelVisibilityRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly subscribers: SubscriberRepository,
    private readonly describer: ChannelDescriber,
    private readonly log: EventLog,
  ) {}

  /**
   * Runs before a change of memberships in its transaction; the function of the result adds the events after it.
   */
  async changing(transaction: Transaction, change: MembershipChange): Promise<() => Promise<void>> {
    await lockSubscriptions(transaction, change.realmId);
    const before = await this.viewers.of(transaction, change);
    return async () => {
      const after = await this.viewers.of(transaction, change);
      const changes = await visibilityChanges(before, after);
      await this.#append(transaction, change.realmId, changes);
    };
  }

  async #append(
    transaction: Transaction,
    realmId: number,
    changes: readonly VisibilityChange[],
  ): Promise<void> {
    if (changes.length === 0) return;
    const ids = changes.map(({ channelId }) => channelId);
    const channels = await this.visibility.channels(transaction, ids);
    const described = await this.describer.describe(realmId, channels, transaction);
    const subscribers = await this.subscriptions.subscribersOf(ids, transaction);
    await this.subscribers.forget(
      transaction,
      changes.map(({ channelId, lost: userIds }) => ({ channelId, userIds })),
    );
    const byId = new Map(described.map((one) => [one.channel.id, one]));
    for (const { channelId, gained, lost } of changes) {
      const found = byId.get(channelId);
      if (found === undefined) continue;
      const marker = found.channel.archivedAt === null ? {} : { is_archived: true };
      const append = (type: string, body: object, userIds: readonly number[]) => {
        if (userIds.length === 0) return;
        const event = { realmId, type, body: { ...body, ...marker }, audience: { userIds } };
        this.log.append(transaction, event);
      };
      // The event of the subscribers adds them to the count.
      const shown = { ...toChannelResponse(found), subscriber_count: 0 };
      append('stream', { op: 'create', streams: [shown] }, gained);
      const peers = {
        stream_ids: [channelId],
        user_ids: subscribers.get(channelId)?.userIds ?? [],
      };
      if (peers.user_ids.length > 0) {
        append(subscriptionEventType.type, { op: 'peer_add', ...peers }, gained);
      }
      const gone = { streams: [{ stream_id: channelId }], stream_ids: [channelId] };
      append('stream', { op: 'delete', ...gone }, lost);
    }
  }
}
