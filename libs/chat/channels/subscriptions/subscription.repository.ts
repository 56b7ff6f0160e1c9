import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { CHANNEL_COLUMNS, type StoredChannel } from '../channel.repository.js';
import {
  type SubscriptionProperties,
  subscriptionProperties,
  subscriptionPropertyTable,
} from './subscription-property-table.rules.js';

/** A channel with the settings of one subscriber. */
export type ChannelSubscription = StoredChannel & SubscriptionProperties;

/** A channel of an organisation, with an account's settings for it: only those of `wasSubscribed` are set. */
export interface ChannelOfRealm extends ChannelSubscription {
  /** Whether the account is or was subscribed. */
  readonly wasSubscribed: boolean;
  readonly isSubscribed: boolean;
}

/** The subscribers of a channel by ascending id. */
export interface Subscribers {
  readonly userIds: readonly number[];
  /** Whether the list has all subscribers. */
  readonly isComplete: boolean;
}

/** The rule of a partial list of subscribers. */
interface PartialRule {
  readonly callerId: number;
  /** The list has all subscribers of a channel with fewer of them than this. */
  readonly smallestPartial: number;
  /** In UNIX seconds: the list has all accounts that were active or joined since then. */
  readonly activeSince: number;
}

interface SubscribersRow extends Subscribers {
  readonly channelId: number;
}

/** SQL: the members of SubscriptionProperties, of a subscription `s`. */
export const SETTINGS = subscriptionProperties
  .map((name) => `s.${subscriptionPropertyTable[name].column} AS ${name}`)
  .join(', ');

const SELECT_ACTIVE = `
  SELECT ${CHANNEL_COLUMNS}, ${SETTINGS}
  FROM subscriptions s JOIN channels c ON c.id = s.channel_id
  WHERE s.user_id = $1 AND s.is_active
  ORDER BY c.name COLLATE "C"`;

const SELECT_ALL = `
  SELECT ${CHANNEL_COLUMNS}, ${SETTINGS},
    s.user_id IS NOT NULL AS "wasSubscribed", coalesce(s.is_active, false) AS "isSubscribed"
  FROM channels c LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $2
  WHERE c.realm_id = $1 AND (c.archived_at IS NULL OR $3::boolean)
  ORDER BY c.name COLLATE "C"`;

// JSON lists: the driver reads them many times faster than arrays.
const SELECT_SUBSCRIBERS = `
  SELECT s.channel_id AS "channelId", true AS "isComplete",
    json_agg(s.user_id ORDER BY s.user_id) AS "userIds"
  FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = ANY($1) AND s.is_active AND u.is_active
  GROUP BY s.channel_id`;

// An account that does not share presence counts as active. Messages show the activity of their sender as presence
// reports do.
const SELECT_PARTIAL_SUBSCRIBERS = `
  WITH subscribed AS MATERIALIZED (
    SELECT s.channel_id, s.user_id FROM subscriptions s JOIN users u ON u.id = s.user_id
    WHERE s.channel_id = ANY($1) AND s.is_active AND u.is_active
  ), away AS MATERIALIZED (
    SELECT u.id AS user_id FROM users u LEFT JOIN user_presence p ON p.user_id = u.id
    WHERE u.id IN (SELECT user_id FROM subscribed) AND u.id <> $2
      AND NOT u.is_bot AND u.is_presence_enabled AND u.date_joined < to_timestamp($4)
      AND (p.user_id IS NULL OR p.idle_at < $4)
      AND coalesce(
        (SELECT m.sent_at FROM messages m WHERE m.sender_id = u.id ORDER BY m.id DESC LIMIT 1)
          < to_timestamp($4),
        true
      )
  )
  SELECT channel_id AS "channelId", count(*) < $3::int AS "isComplete",
    CASE
      WHEN count(*) < $3::int THEN json_agg(user_id ORDER BY user_id)
      ELSE coalesce(json_agg(user_id ORDER BY user_id) FILTER (WHERE away.user_id IS NULL), '[]')
    END AS "userIds"
  FROM subscribed LEFT JOIN away USING (user_id)
  GROUP BY channel_id`;

const CHANNELS_OF = `
  SELECT channel_id AS id FROM subscriptions WHERE user_id = $1 AND is_active`;

const IS_SUBSCRIBED = `
  SELECT FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = $1 AND s.user_id = $2 AND s.is_active AND u.is_active`;

/** The subscriptions of accounts. */
@Injectable()
export class SubscriptionRepository {
  constructor(private readonly database: Database) {}

  /** The subscribed channels of a user by name, including archived ones. */
  activeOf(userId: number): Promise<ChannelSubscription[]> {
    return this.database.query<ChannelSubscription>('subscriptions_of_user', SELECT_ACTIVE, [
      userId,
    ]);
  }

  /** All channels of an organisation by name, archived ones only `withArchived`, with an account's relation to each. */
  allOf(
    session: Session,
    {
      realmId,
      userId,
      withArchived,
    }: { readonly realmId: number; readonly userId: number; readonly withArchived: boolean },
  ): Promise<ChannelOfRealm[]> {
    return session.query<ChannelOfRealm>('channels_of_realm', SELECT_ALL, [
      realmId,
      userId,
      withArchived,
    ]);
  }

  /** The ids of the channels that an account is subscribed to, archived ones included. */
  async channelsOf(session: Session, userId: number): Promise<number[]> {
    const rows = await session.query<{ id: number }>('channels_of_user', CHANNELS_OF, [userId]);
    return rows.map(({ id }) => id);
  }

  /** Whether an active account is subscribed. */
  async isSubscribed(channelId: number, userId: number): Promise<boolean> {
    const values = [channelId, userId];
    return (await this.database.query('is_subscribed', IS_SUBSCRIBED, values)).length > 0;
  }

  /** The active subscribers of the channels; a channel without any has no entry. */
  async subscribersOf(
    channelIds: readonly number[],
    session: Session = this.database,
  ): Promise<ReadonlyMap<number, Subscribers>> {
    return byChannel(
      await session.query<SubscribersRow>('subscribers', SELECT_SUBSCRIBERS, [channelIds]),
    );
  }

  /** The same with the partial lists of the rule. */
  async partialSubscribersOf(
    channelIds: readonly number[],
    { callerId, smallestPartial, activeSince }: PartialRule,
    session: Session = this.database,
  ): Promise<ReadonlyMap<number, Subscribers>> {
    return byChannel(
      await session.query<SubscribersRow>('partial_subscribers', SELECT_PARTIAL_SUBSCRIBERS, [
        channelIds,
        callerId,
        smallestPartial,
        activeSince,
      ]),
    );
  }
}

const byChannel = (rows: readonly SubscribersRow[]): ReadonlyMap<number, Subscribers> =>
  new Map(rows.map((row) => [row.channelId, row]));
