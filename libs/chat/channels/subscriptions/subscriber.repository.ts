import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import type { ChannelAccounts } from './subscription-hook.js';
import {
  type SubscriptionProperties,
  subscriptionProperties,
  subscriptionPropertyTable,
} from './subscription-property-table.rules.js';
import { SETTINGS } from './subscription.repository.js';

/** The settings of an account that a subscription inherits. */
type InheritedSettings = Readonly<
  Record<
    | 'desktop_notifications'
    | 'audible_notifications'
    | 'push_notifications'
    | 'email_notifications'
    | 'wildcard_mentions_notify',
    boolean
  >
>;

/** New subscribers of a channel with the same settings. */
export interface NewSubscribers extends SubscriptionProperties {
  readonly channelId: number;
  readonly inherited: InheritedSettings;
  /** In ascending order. */
  readonly userIds: readonly number[];
}

const switchOf = (name: string): string =>
  `coalesce((u.display_settings ->> '${name}')::boolean, false)`;

// The subscriptions `s` of accounts `u`, by channel and settings.
const ALIKE = `
  SELECT s.channel_id AS "channelId", ${SETTINGS},
    jsonb_build_object(
      'desktop_notifications', ${switchOf('enable_stream_desktop_notifications')},
      'audible_notifications', ${switchOf('enable_stream_audible_notifications')},
      'push_notifications', u.is_pushed_channels,
      'email_notifications', ${switchOf('enable_stream_email_notifications')},
      'wildcard_mentions_notify', u.is_pushed_wildcards
    ) AS inherited,
    json_agg(s.user_id ORDER BY s.user_id) AS "userIds"`;

const BY_SETTINGS = `
  GROUP BY s.channel_id, ${subscriptionProperties.map((name) => `s.${subscriptionPropertyTable[name].column}`).join(', ')}, inherited
  ORDER BY s.channel_id, min(s.user_id)`;

// In the order of the rows: concurrent statements do not deadlock. A former subscriber keeps the settings. A new one takes over
// the notifications that the channel has for new subscribers.
// Without accounts that have been deactivated meanwhile.
const ADD = `
  WITH stored AS (
    INSERT INTO subscriptions (channel_id, user_id, color, push_notifications)
    SELECT channel.id, person.id, channel.color, CASE WHEN c.is_pushed_by_default THEN true END
    FROM unnest($1::int[], $2::text[]) AS channel (id, color)
    JOIN channels c ON c.id = channel.id
    CROSS JOIN users AS person
    WHERE person.id = ANY($3::int[]) AND person.is_active
    ORDER BY channel.id, person.id
    ON CONFLICT (channel_id, user_id) DO UPDATE SET is_active = true
    WHERE NOT subscriptions.is_active
    RETURNING *
  )
  ${ALIKE} FROM stored s JOIN users u ON u.id = s.user_id ${BY_SETTINGS}`;

const SELECT_ALIKE = `
  ${ALIKE} FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = $1 AND s.is_active AND u.is_active ${BY_SETTINGS}`;

const REMOVE = `
  WITH held AS (
    SELECT channel_id, user_id FROM subscriptions
    WHERE channel_id = ANY($1::int[]) AND user_id = ANY($2::int[]) AND is_active
    ORDER BY channel_id, user_id FOR NO KEY UPDATE
  ),
  removed AS (
    UPDATE subscriptions s SET is_active = false FROM held
    WHERE s.channel_id = held.channel_id AND s.user_id = held.user_id
    RETURNING s.channel_id, s.user_id
  )
  SELECT channel_id AS "channelId", json_agg(user_id ORDER BY user_id) AS "userIds"
  FROM removed GROUP BY channel_id ORDER BY channel_id`;

const FORGET = `
  DELETE FROM subscriptions s USING unnest($1::int[], $2::int[]) AS gone (channel_id, user_id)
  WHERE s.channel_id = gone.channel_id AND s.user_id = gone.user_id AND NOT s.is_active`;

const FORGET_FORMER = `
  DELETE FROM subscriptions WHERE channel_id = $1 AND NOT is_active RETURNING user_id AS "userId"`;

const FORGET_OTHERS = `
  DELETE FROM subscriptions
  WHERE channel_id = $1 AND NOT is_active AND user_id <> ALL($2::int[])`;

/** Changes the subscriptions of channels. */
@Injectable()
export class SubscriberRepository {
  /** Subscribes each account to each channel. Resolves with those that were not subscribed before: one statement. */
  async add(
    transaction: Transaction,
    channels: readonly { readonly id: number; readonly color: string }[],
    userIds: readonly number[],
  ): Promise<NewSubscribers[]> {
    return transaction.query<NewSubscribers>('add_subscribers', ADD, [
      channels.map(({ id }) => id),
      channels.map(({ color }) => color),
      userIds,
    ]);
  }

  /** Ends the subscriptions of each account to each channel. Resolves with those that were subscribed: one statement. */
  async remove(
    transaction: Transaction,
    channelIds: readonly number[],
    userIds: readonly number[],
  ): Promise<ChannelAccounts[]> {
    const values = [channelIds, userIds];
    return transaction.query<ChannelAccounts>('remove_subscribers', REMOVE, values);
  }

  /**
   * Deletes the settings of former subscribers who cannot see the channels any more: if they see one later, it is new to
   * them. One statement.
   */
  async forget(transaction: Transaction, lists: readonly ChannelAccounts[]): Promise<void> {
    if (lists.length === 0) return;
    await transaction.query('forget_subscribers', FORGET, [
      lists.flatMap(({ channelId, userIds }) => userIds.map(() => channelId)),
      lists.flatMap(({ userIds }) => userIds),
    ]);
  }

  /** The same for all former subscribers of a channel; resolves with them. */
  async forgetFormer(transaction: Transaction, channelId: number): Promise<number[]> {
    const name = 'forget_former_subscribers';
    const rows = await transaction.query<{ userId: number }>(name, FORGET_FORMER, [channelId]);
    return rows.map(({ userId }) => userId).toSorted((one, other) => one - other);
  }

  /** The subscribers of a channel in groups with the same settings. */
  async alike(transaction: Transaction, channelId: number): Promise<NewSubscribers[]> {
    return transaction.query<NewSubscribers>('alike_subscribers', SELECT_ALIKE, [channelId]);
  }

  /** The same for all former subscribers of a channel but these. */
  async forgetOthers(
    transaction: Transaction,
    channelId: number,
    userIds: readonly number[],
  ): Promise<void> {
    await transaction.query('forget_other_subscribers', FORGET_OTHERS, [channelId, userIds]);
  }
}
