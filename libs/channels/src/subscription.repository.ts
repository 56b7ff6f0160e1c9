import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';
import { CHANNEL_COLUMNS, type StoredChannel } from './channel.repository.js';

/** What an account has settled for itself about a channel; null where the account's own setting holds. */
export type SubscriptionSettings = Pick<
  Prisma.SubscriptionGetPayload<object>,
  | 'isMuted'
  | 'isPinned'
  | 'color'
  | 'desktopNotifications'
  | 'emailNotifications'
  | 'pushNotifications'
  | 'audibleNotifications'
  | 'wildcardMentions'
>;

/** A channel as one of its subscribers has it. */
export type SubscribedChannel = StoredChannel & SubscriptionSettings;

/** Who is subscribed to a channel, their ids ascending. */
export interface Subscribers {
  readonly userIds: readonly number[];
  /** Whether nobody is left out. */
  readonly isComplete: boolean;
}

/** Who may be left out of a partial list of subscribers, and from when on. */
export interface PartialRule {
  readonly callerId: number;
  /** A channel with fewer subscribers leaves out nobody. */
  readonly smallestPartial: number;
  /** In UNIX seconds: whoever was active since then, or joined since then, is never left out. */
  readonly activeSince: number;
}

interface SubscribersRow extends Subscribers {
  readonly channelId: number;
}

const SELECT_ACTIVE = `
  SELECT ${CHANNEL_COLUMNS},
    s.is_muted AS "isMuted", s.is_pinned AS "isPinned", s.color,
    s.desktop_notifications AS "desktopNotifications",
    s.email_notifications AS "emailNotifications", s.push_notifications AS "pushNotifications",
    s.audible_notifications AS "audibleNotifications", s.wildcard_mentions AS "wildcardMentions"
  FROM subscriptions s JOIN channels c ON c.id = s.channel_id
  WHERE s.user_id = $1 AND s.is_active
  ORDER BY c.name COLLATE "C"`;

// JSON lists: the driver reads them many times faster than arrays.
const SELECT_SUBSCRIBERS = `
  SELECT s.channel_id AS "channelId", true AS "isComplete",
    json_agg(s.user_id ORDER BY s.user_id) AS "userIds"
  FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = ANY($1) AND s.is_active AND u.is_active
  GROUP BY s.channel_id`;

// Whoever does not share presence cannot be known to be away, and a message shows its sender as well as
// a presence report does.
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

/** Who is subscribed to what. */
@Injectable()
export class SubscriptionRepository {
  constructor(private readonly database: Database) {}

  /** The channels that a user is subscribed to by name, archived ones included. */
  activeOf(userId: number): Promise<SubscribedChannel[]> {
    return this.database.query<SubscribedChannel>('subscriptions_of_user', SELECT_ACTIVE, [userId]);
  }

  /** The active accounts that are subscribed to each of the channels; one without any has no entry. */
  async subscribersOf(channelIds: readonly number[]): Promise<ReadonlyMap<number, Subscribers>> {
    return byChannel(
      await this.database.query<SubscribersRow>('subscribers', SELECT_SUBSCRIBERS, [channelIds]),
    );
  }

  /** The same without those that the rule lets be left out. */
  async partialSubscribersOf(
    channelIds: readonly number[],
    { callerId, smallestPartial, activeSince }: PartialRule,
  ): Promise<ReadonlyMap<number, Subscribers>> {
    return byChannel(
      await this.database.query<SubscribersRow>('partial_subscribers', SELECT_PARTIAL_SUBSCRIBERS, [
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
