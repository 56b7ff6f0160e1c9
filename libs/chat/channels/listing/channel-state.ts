import { Injectable } from '@nestjs/common';
import { isCapable, type StateRequest } from '#events/declarations';
import { GroupMembershipRepository, SystemGroupRepository } from '#directory/groups';
import { isGuest } from '#directory/roles';
import { SettingRepository, type UserSettings, userSettings } from '#directory/settings';
import { filterInSlices, mapInSlices } from '#platform/core';
import { hasMetadataAccess } from '../access/channel-access.rules.js';
import { resolveChannelPermissions } from '../channel-permission-table.rules.js';
import { ChannelDescriber, type ChannelDescription } from './channel-describer.js';
import {
  toChannelResponse,
  toSubscribersResponse,
  toSubscriptionResponse,
} from './channels.response.js';
import { noSubscribers, SubscriberLists } from '../subscriptions/subscriber-lists.js';
import {
  type ChannelOfRealm,
  type Subscribers,
  SubscriptionRepository,
} from '../subscriptions/subscription.repository.js';

type Described = ChannelDescription<ChannelOfRealm>;

/** The channels in the response of `POST /register`. */
@Injectable()
export class ChannelState {
  constructor(
    private readonly subscriptions: SubscriptionRepository,
    private readonly subscribers: SubscriberLists,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly describer: ChannelDescriber,
    private readonly settings: SettingRepository,
  ) {}

  /** The lists for the fetch types `stream` and `subscription`: a bounded number of statements for any number of channels. */
  async read(request: StateRequest): Promise<Readonly<Record<string, unknown>>> {
    const { caller, snapshot, wants, readShared } = request;
    const visible = await this.#visibleTo(request);
    const realmId = caller.realm.id;
    const described = await this.describer.describe(realmId, visible, snapshot, readShared);
    return {
      ...(wants('stream') && { streams: await mapInSlices(described, toChannelResponse) }),
      ...(wants('subscription') && (await this.#subscriptionLists(request, described))),
    };
  }

  async #visibleTo({ caller, snapshot, options }: StateRequest): Promise<ChannelOfRealm[]> {
    const { userId, role, realm } = caller;
    const withArchived = isCapable(options, 'archived_channels');
    const listed = { realmId: realm.id, userId, withArchived };
    const channels = await this.subscriptions.allOf(snapshot, listed);
    const groups = await this.membership.groupsOf(userId, snapshot);
    const systemGroups = await this.systemGroups.idsOf(realm.id, snapshot);
    return filterInSlices(channels, (channel) => {
      const guarded = { ...channel, ...resolveChannelPermissions(channel, systemGroups) };
      return hasMetadataAccess(guarded, { role, groups, isSubscribed: channel.isSubscribed });
    });
  }

  async #subscriptionLists(request: StateRequest, described: readonly Described[]) {
    const { caller, snapshot, options } = request;
    const effective = isCapable(options, 'notification_settings_null')
      ? null
      : userSettings(await this.settings.get(caller.userId, snapshot));
    const listed = await this.#subscribersFor(request, described);
    const subscribersOf = (id: number) => listed && (listed.get(id) ?? noSubscribers);
    const toOwn = (one: Described) => {
      const subscribers = subscribersOf(one.channel.id);
      const response = toSubscriptionResponse({ ...one, subscribers });
      return { ...response, ...inherited(response, effective) };
    };
    const others = described.filter(({ channel }) => !channel.wasSubscribed);
    const own = described.filter(({ channel }) => channel.wasSubscribed);
    const subscribed = own.filter(({ channel }) => channel.isSubscribed);
    const left = own.filter(({ channel }) => !channel.isSubscribed);
    return {
      subscriptions: await mapInSlices(subscribed, toOwn),
      unsubscribed: await mapInSlices(left, toOwn),
      never_subscribed: await mapInSlices(others, (one) => ({
        ...toChannelResponse(one),
        ...toSubscribersResponse(subscribersOf(one.channel.id)),
      })),
    };
  }

  /** Guests see only the subscribers of web-public channels and of those that they are subscribed to. */
  async #subscribersFor(
    { caller, snapshot, options: { includeSubscribers } }: StateRequest,
    described: readonly Described[],
  ): Promise<ReadonlyMap<number, Subscribers> | null> {
    const ids = described.flatMap(({ channel }) =>
      channel.isSubscribed || channel.isWebPublic || !isGuest(caller.role) ? [channel.id] : [],
    );
    const selections = { true: 'true', false: 'false', partial: 'partial' } as const;
    const selection = selections[`${includeSubscribers}`];
    return this.subscribers.of(ids, caller.userId, selection, snapshot);
  }
}

type Notifications = Pick<
  ReturnType<typeof toSubscriptionResponse>,
  | 'desktop_notifications'
  | 'audible_notifications'
  | 'push_notifications'
  | 'email_notifications'
  | 'wildcard_mentions_notify'
>;

/** The settings of the account where the subscription has none, for clients that do not know null. */
const inherited = (own: Notifications, account: UserSettings | null): Partial<Notifications> =>
  account === null
    ? {}
    : {
        desktop_notifications:
          own.desktop_notifications ?? account.enable_stream_desktop_notifications,
        audible_notifications:
          own.audible_notifications ?? account.enable_stream_audible_notifications,
        push_notifications: own.push_notifications ?? account.enable_stream_push_notifications,
        email_notifications: own.email_notifications ?? account.enable_stream_email_notifications,
        wildcard_mentions_notify: own.wildcard_mentions_notify ?? account.wildcard_mentions_notify,
      };
