import { Injectable } from '@nestjs/common';
import { EventLog, type NewEvent } from '#events/log';
import { mapInSlices, TimeSlice } from '#platform/core';
import type { Transaction } from '#platform/database';
import { ChannelAudienceRepository } from '../access/channel-audience.repository.js';
import {
  audienceOf,
  type ChannelAudience,
  dependentOn,
  type AudienceAccount,
} from '../access/channel-audience.rules.js';
import { ChannelDescriber, type ChannelDescription } from '../listing/channel-describer.js';
import type { StoredChannel } from '../channel.repository.js';
import { toChannelResponse, toSubscriptionResponse } from '../listing/channels.response.js';
import { noSubscribers } from '../subscriptions/subscriber-lists.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { subscriptionEventType } from '../subscriptions/subscriptions.events.js';
import type { NewSubscribers } from '../subscriptions/subscriber.repository.js';
import type { ChannelAccounts } from '../subscriptions/subscription-hook.js';
import { combined } from './combined.rules.js';
import { departuresOf } from './leaving-together.rules.js';

const STREAM = 'stream';
const { type: SUBSCRIPTION } = subscriptionEventType;

/** The changes of the subscriptions of one organisation. */
export interface SubscriptionChange {
  readonly realmId: number;
  /** All channels with changed subscriptions, as they are after the change. */
  readonly channels: readonly StoredChannel[];
  /** All accounts with changed subscriptions. */
  readonly accounts: readonly AudienceAccount[];
}

/**
 * Adds the events of subscriptions that began or ended, after the change in its transaction. In time slices: a hundred
 * private channels may have all accounts in each of their audiences.
 */
@Injectable()
export class SubscriptionChangeEvents {
  constructor(
    private readonly audiences: ChannelAudienceRepository,
    private readonly describer: ChannelDescriber,
    private readonly subscriptions: SubscriptionRepository,
    private readonly log: EventLog,
  ) {}

  /**
   * In this order: the channels for those who see them from now on, the subscriptions for their owners, the subscribers for
   * all others. `newIds` are the channels that were created with the subscriptions.
   */
  async added(
    transaction: Transaction,
    { realmId, channels, accounts }: SubscriptionChange,
    subscribers: readonly NewSubscribers[],
    newIds: ReadonlySet<number>,
  ): Promise<void> {
    const changedIds = new Set(subscribers.map(({ channelId }) => channelId));
    const changed = channels.filter(({ id }) => changedIds.has(id) || newIds.has(id));
    if (changed.length === 0) return;
    const ids = changed.map(({ id }) => id);
    const described = await this.describer.describe(realmId, changed, transaction);
    const audiences = await this.audiences.ofChannels(transaction, ids);
    const lists = await this.subscriptions.subscribersOf(ids, transaction);
    const joined = usersByChannel(subscribers);
    const shown = await mapInSlices(described, (one): NewEvent => {
      const audience = requireOf(audiences, one.channel.id);
      const joinedIds = new Set(joined.get(one.channel.id));
      const gaining = dependentOn(
        audience,
        accounts.filter(({ id }) => joinedIds.has(id)),
      );
      return {
        realmId,
        type: STREAM,
        body: { op: 'create', streams: [shownChannel(one, newIds.has(one.channel.id))] },
        audience: newIds.has(one.channel.id) ? audienceOf(audience) : { userIds: gaining },
      };
    });
    this.log.append(
      transaction,
      ...(await combined(shown, 'streams')),
      ...(await combined(
        ownSubscriptionEvents(realmId, described, subscribers, lists),
        'subscriptions',
      )),
      ...(await peerEvents(realmId, 'peer_add', joined, audiences)),
    );
  }

  /**
   * In this order: the end of the subscriptions, the end of the channels for those who see them no more, the subscribers
   * for all others, and for each other for those who leave together. Resolves with those who see the channels no more.
   */
  async removed(
    transaction: Transaction,
    { realmId, channels, accounts }: SubscriptionChange,
    former: readonly ChannelAccounts[],
  ): Promise<ChannelAccounts[]> {
    if (former.length === 0) return [];
    const left = usersByChannel(former);
    const audiences = await this.audiences.ofChannels(transaction, [...left.keys()]);
    const ended: NewEvent[] = [];
    const hidden: NewEvent[] = [];
    const leaving: ChannelAccounts[] = [];
    const together: NewEvent[] = [];
    const slice = new TimeSlice();
    for (const [id, userIds] of left) {
      await slice.next();
      const name = channels.find((channel) => channel.id === id)?.name ?? '';
      const audience = requireOf(audiences, id);
      const marker = markerOf(audience);
      ended.push({
        realmId,
        type: SUBSCRIPTION,
        body: { op: 'remove', ...marker, subscriptions: [{ stream_id: id, name }] },
        audience: { userIds },
      });
      const gone = new Set(userIds);
      const losing = dependentOn(
        audience,
        accounts.filter((account) => gone.has(account.id)),
      );
      leaving.push({ channelId: id, userIds: losing });
      together.push(...eventsOfEachOther(realmId, audience, userIds, losing));
      hidden.push({
        realmId,
        type: STREAM,
        body: { op: 'delete', ...marker, streams: [{ stream_id: id }], stream_ids: [id] },
        audience: { userIds: losing },
      });
    }
    this.log.append(
      transaction,
      ...(await combined(ended, 'subscriptions')),
      ...(await combined(hidden, 'streams', 'stream_ids')),
      ...(await peerEvents(realmId, 'peer_remove', left, audiences)),
      ...(await combined(together, 'stream_ids')),
    );
    return leaving.filter(({ userIds }) => userIds.length > 0);
  }
}

const usersByChannel = (
  lists: readonly ChannelAccounts[],
): ReadonlyMap<number, readonly number[]> => {
  const users = new Map<number, number[]>();
  for (const { channelId, userIds } of lists) {
    users.set(channelId, [...(users.get(channelId) ?? []), ...userIds]);
  }
  for (const list of users.values()) list.sort((one, other) => one - other);
  return users;
};

/** The event of each group of subscribers of a channel with the same settings. */
export function ownSubscriptionEvents(
  realmId: number,
  described: readonly ChannelDescription[],
  subscribers: readonly NewSubscribers[],
  lists: Awaited<ReturnType<SubscriptionRepository['subscribersOf']>>,
): NewEvent[] {
  const byId = new Map(described.map((one) => [one.channel.id, one]));
  return subscribers.flatMap(({ channelId, userIds, inherited, ...settings }) => {
    const one = byId.get(channelId);
    if (one === undefined) return [];
    const channel = { ...one.channel, ...settings };
    const subscription = toSubscriptionResponse({
      ...one,
      channel,
      subscribers: lists.get(channelId) ?? noSubscribers,
    });
    return [
      {
        realmId,
        type: SUBSCRIPTION,
        body: { op: 'add', inherited, subscriptions: [subscription] },
        audience: { userIds },
      },
    ];
  });
}

async function peerEvents(
  realmId: number,
  op: 'peer_add' | 'peer_remove',
  users: ReadonlyMap<number, readonly number[]>,
  audiences: ReadonlyMap<number, ChannelAudience>,
): Promise<NewEvent[]> {
  const events = await mapInSlices([...users], ([id, userIds]): NewEvent => {
    const audience = requireOf(audiences, id);
    const body = peerBody(op, userIds, audience);
    return {
      realmId,
      type: SUBSCRIPTION,
      body,
      audience: audienceOf(audience, new Set(userIds)),
    };
  });
  return combined(events, 'stream_ids');
}

/** The other accounts that each of several leaving accounts gets in its event, if it still sees the channel. */
function eventsOfEachOther(
  realmId: number,
  channel: ChannelAudience,
  userIds: readonly number[],
  losingIds: readonly number[],
): NewEvent[] {
  const losing = new Set(losingIds);
  return departuresOf(userIds).map(({ leftIds, toIds }) => ({
    realmId,
    type: SUBSCRIPTION,
    body: peerBody('peer_remove', leftIds, channel),
    audience: { userIds: toIds.filter((id) => !losing.has(id)) },
  }));
}

const peerBody = (
  op: 'peer_add' | 'peer_remove',
  userIds: readonly number[],
  audience: ChannelAudience,
): object => ({
  op,
  user_ids: userIds,
  ...markerOf(audience),
  stream_ids: [audience.channelId],
});

/** For clients that do not know archived channels. */
const markerOf = ({ isArchived }: ChannelAudience): object =>
  isArchived ? { is_archived: true } : {};

function requireOf(audiences: ReadonlyMap<number, ChannelAudience>, id: number): ChannelAudience {
  const audience = audiences.get(id);
  if (audience === undefined) throw new Error(`Channel ${id} was not found in its transaction`);
  return audience;
}

/** A channel that was just created has no subscribers yet: the events of its subscribers follow. */
const shownChannel = (one: ChannelDescription, isNew: boolean): object => ({
  ...toChannelResponse(one),
  ...(isNew && { subscriber_count: 0 }),
});
