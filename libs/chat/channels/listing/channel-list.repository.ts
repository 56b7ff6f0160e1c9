import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { CHANNEL_COLUMNS, type StoredChannel } from '../channel.repository.js';

/** A channel with one account's relation to it, and for a bot its owner's. */
export interface CandidateChannel extends StoredChannel {
  readonly isSubscribed: boolean;
  /** False for people. */
  readonly isOwnerSubscribed: boolean;
}

/** The messages of a channel. */
interface ChannelTraffic {
  readonly channelId: number;
  /** Since the requested day. */
  readonly messages: number;
  /** The last day with a message, in days since the beginning of 1970; null without messages. */
  readonly lastMessageDay: number | null;
}

// By code point, independent of the locale of the database: an order that clients can reproduce.
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

// The last days are looked up one by one before the joins: PostgreSQL overestimates the number of groups many times,
// and would plan for as many look-ups.
const SELECT_TRAFFIC = `
  WITH listed AS MATERIALIZED (
    SELECT c.id, (
      SELECT max(t.day) - DATE '1970-01-01' FROM channel_traffic t
      WHERE t.channel_id = c.id AND t.messages > 0
    ) AS last_message_day
    FROM unnest($1::int[]) AS c (id)
  )
  SELECT listed.id AS "channelId", coalesce(traffic.messages, 0)::float8 AS messages,
    last_message_day AS "lastMessageDay"
  FROM listed
  LEFT JOIN (
    SELECT t.channel_id, sum(t.messages) AS messages FROM channel_traffic t
    WHERE t.channel_id = ANY($1) AND t.day >= DATE '1970-01-01' + $2::int
    GROUP BY t.channel_id
  ) AS traffic ON traffic.channel_id = listed.id`;

const countSubscribers = (channels: string) => `
  SELECT s.channel_id AS "channelId", count(*)::int AS count
  FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id ${channels} AND s.is_active AND u.is_active
  GROUP BY s.channel_id`;

const COUNT_SUBSCRIBERS = countSubscribers('= ANY($1::int[])');

const COUNT_SUBSCRIBERS_OF_REALM = countSubscribers(
  'IN (SELECT id FROM channels WHERE realm_id = $1)',
);

/** Reads thousands of channels with one statement each. */
@Injectable()
export class ChannelListRepository {
  constructor(private readonly database: Database) {}

  /** The channels of the organisation by name, with an account's relation to each. */
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

  /** The traffic of the channels by their ids; `sinceDay` counts days since the beginning of 1970. */
  async trafficOf(
    channelIds: readonly number[],
    sinceDay: number,
    session: Session = this.database,
  ): Promise<ReadonlyMap<number, ChannelTraffic>> {
    const values = [channelIds, sinceDay];
    const rows = await session.query<ChannelTraffic>('channel_traffic', SELECT_TRAFFIC, values);
    return new Map(rows.map((row) => [row.channelId, row]));
  }

  /**
   * The numbers of active accounts that are subscribed to channels, by the ids of the channels; without an entry for a
   * channel without any.
   */
  subscriberCounts(
    channelIds: readonly number[],
    session: Session = this.database,
  ): Promise<ReadonlyMap<number, number>> {
    return countsOf(session, 'subscriber_counts', COUNT_SUBSCRIBERS, channelIds);
  }

  /** The same for all channels of an organisation. */
  subscriberCountsOfRealm(
    realmId: number,
    session: Session = this.database,
  ): Promise<ReadonlyMap<number, number>> {
    return countsOf(session, 'subscriber_counts_of_realm', COUNT_SUBSCRIBERS_OF_REALM, realmId);
  }
}

async function countsOf(
  session: Session,
  name: string,
  sql: string,
  channels: unknown,
): Promise<ReadonlyMap<number, number>> {
  const rows = await session.query<{ channelId: number; count: number }>(name, sql, [channels]);
  return new Map(rows.map(({ channelId, count }) => [channelId, count]));
}
