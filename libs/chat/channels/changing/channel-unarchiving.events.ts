import { Injectable } from '@nestjs/common';
import { EventLog, type NewEvent } from '#events/log';
import type { Transaction } from '#platform/database';
import { ChannelAudienceRepository } from '../access/channel-audience.repository.js';
import { audienceOf } from '../access/channel-audience.rules.js';
import { ChannelDescriber } from '../listing/channel-describer.js';
import { channelEventType } from '../visibility/channel-visibility.events.js';
import type { StoredChannel } from '../channel.repository.js';
import { toChannelResponse } from '../listing/channels.response.js';
import { combined } from '../subscribing/combined.rules.js';
import { SubscriberRepository } from '../subscriptions/subscriber.repository.js';
import { ownSubscriptionEvents } from '../subscribing/subscription-change.events.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { subscriptionEventType } from '../subscriptions/subscriptions.events.js';

/** Adds the events of channels that are no longer archived. */
@Injectable()
export class ChannelUnarchivingEvents {
  constructor(
    private readonly audiences: ChannelAudienceRepository,
    private readonly describer: ChannelDescriber,
    private readonly subscriptions: SubscriptionRepository,
    private readonly subscribers: SubscriberRepository,
    private readonly log: EventLog,
  ) {}

  /**
   * Runs after the change in its transaction. For clients that know archived channels `is_archived` changes; for others the
   * channel, the own subscription and the subscribers are new. Former subscribers lose the settings of their subscription:
   * the channel is new to all their clients, because older clients cannot be informed of a former subscription.
   * Older clients learn the unread messages of the channel only with their next registration: no bounded number of events
   * could contain them, and clients that never register again must not lose their queues.
   */
  async unarchived(transaction: Transaction, channel: StoredChannel): Promise<void> {
    const { realmId, id } = channel;
    const former = await this.subscribers.forgetFormer(transaction, id);
    const audience = (await this.audiences.ofChannels(transaction, [id])).get(id);
    const [described] = await this.describer.describe(realmId, [channel], transaction);
    if (audience === undefined || described === undefined) {
      throw new Error(`Channel ${id} was not found in its transaction`);
    }
    const lists = await this.subscriptions.subscribersOf([id], transaction);
    const subscribers = await this.subscribers.alike(transaction, id);
    const shown = toChannelResponse(described);
    // The events of its subscribers follow.
    const streams = [{ ...shown, subscriber_count: 0 }];
    const [formerIds, subscribedIds] = [former, lists.get(id)?.userIds ?? []];
    const change = { op: 'update', stream_id: id, name: channel.name, property: 'is_archived' };
    const { type: stream } = channelEventType;
    const { type: subscription } = subscriptionEventType;
    const peers = { op: 'peer_add', user_ids: subscribedIds, stream_ids: [id] };
    const others = audienceOf(audience, new Set([...formerIds, ...subscribedIds]));
    const events: NewEvent[] = [
      {
        realmId,
        type: stream,
        body: { op: 'create', streams, is_reset: true },
        audience: { userIds: formerIds },
      },
      {
        realmId,
        type: stream,
        body: { ...change, value: false, streams },
        audience: audienceOf(audience, new Set(formerIds)),
      },
      ...ownSubscriptionEvents(realmId, [described], subscribers, lists).map((event) => ({
        ...event,
        body: { ...event.body, is_revived: true },
      })),
    ];
    const peerEvents: NewEvent[] = [
      { realmId, type: subscription, body: peers, audience: { userIds: formerIds } },
      { realmId, type: subscription, body: { ...peers, is_revived: true }, audience: others },
    ];
    const appended = [...events, ...(subscribedIds.length > 0 ? peerEvents : [])];
    this.log.append(transaction, ...(await combined(appended)));
  }
}
