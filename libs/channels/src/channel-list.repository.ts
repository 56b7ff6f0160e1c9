import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import { CHANNEL_COLUMNS, type StoredChannel } from './channel.repository.js';

/** A channel with what ties one account, and the owner of a bot, to it. */
export interface CandidateChannel extends StoredChannel {
  readonly isSubscribed: boolean;
  /** False for everyone but bots. */
  readonly isOwnerSubscribed: boolean;
}

/** How much goes on in a channel. */
export interface ChannelActivity {
  readonly channelId: number;
  /** Without deactivated accounts. */
  readonly subscriberCount: number;
  /** Since the day that was asked for. */
  readonly messages: number;
  /** The last day with a message, in days since the beginning of 1970; null when there was none. */
  readonly lastMessageDay: number | null;
}

// In the order of their code points, whatever the database's language: an order that clients can repeat.
const SELECT_CANDIDATES = `
  SELECT ${CHANNEL_COLUMNS},
    own.user_id IS NOT NULL AS "isSubscribed", owners.user_id IS NOT NULL AS "isOwnerSubscribed"
  FROM channels c
  LEFT JOIN subscriptions own
    ON own.channel_id = c.id AND own.user_id = $2 AND own.is_active
  LEFT JOIN subscriptions owners
    ON owners.channel_id = c.id AND owners.is_active AND owners.user_id = (
      SELECT o.id FROM users bot JOIN users o ON o.id = bot.bot_owner_id
      WHERE bot.id = $2 AND bot.is_bot AND o.is_active
    )
  WHERE c.realm_id = $1 AND (c.archived_at IS NULL OR NOT $3::boolean)
  ORDER BY c.name COLLATE "C"`;

// The last days are looked up one by one, before anything is joined to them: PostgreSQL takes the groups
// to be many times as many as they are, and would prepare for as many look-ups.
const SELECT_ACTIVITY = `
  WITH listed AS MATERIALIZED (
    SELECT c.id, (
      SELECT max(t.day) - DATE '1970-01-01' FROM channel_traffic t
      WHERE t.channel_id = c.id AND t.messages > 0
    ) AS last_message_day
    FROM unnest($1::int[]) AS c (id)
  )
  SELECT listed.id AS "channelId", coalesce(subscribers.count, 0)::int AS "subscriberCount",
    coalesce(traffic.messages, 0)::float8 AS messages, last_message_day AS "lastMessageDay"
  FROM listed
  LEFT JOIN (
    SELECT s.channel_id, count(*) FROM subscriptions s JOIN users u ON u.id = s.user_id
    WHERE s.channel_id = ANY($1) AND s.is_active AND u.is_active
    GROUP BY s.channel_id
  ) AS subscribers ON subscribers.channel_id = listed.id
  LEFT JOIN (
    SELECT t.channel_id, sum(t.messages) AS messages FROM channel_traffic t
    WHERE t.channel_id = ANY($1) AND t.day >= DATE '1970-01-01' + $2::int
    GROUP BY t.channel_id
  ) AS traffic ON traffic.channel_id = listed.id`;

/** Reads channels by the thousand: a statement each, however many there are. */
@Injectable()
export class ChannelListRepository {
  constructor(private readonly database: Database) {}

  /** The channels of the organisation by name, and what ties an account to each. */
  candidatesFor(
    realmId: number,
    userId: number,
    excludeArchived: boolean,
  ): Promise<CandidateChannel[]> {
    return this.database.query<CandidateChannel>('channel_candidates', SELECT_CANDIDATES, [
      realmId,
      userId,
      excludeArchived,
    ]);
  }

  /** How much goes on in each of the channels, by their ids; `sinceDay` is one since the beginning of 1970. */
  async activityOf(
    channelIds: readonly number[],
    sinceDay: number,
  ): Promise<ReadonlyMap<number, ChannelActivity>> {
    const rows = await this.database.query<ChannelActivity>('channel_activity', SELECT_ACTIVITY, [
      channelIds,
      sinceDay,
    ]);
    return new Map(rows.map((row) => [row.channelId, row]));
  }
}
