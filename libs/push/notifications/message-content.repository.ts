import { Injectable } from '@nestjs/common';
import type { NamedAccount } from '#platform/contracts';
import { roles } from '#directory/roles';
import { batched, groupBy } from '#platform/core';
import { Database } from '#platform/database';
import { triggerSql } from './decision/decision.sql.js';
import { MAX_BLOCKING_ATTEMPTS } from './notification.js';
import { mayConcern, stateAt } from './pages/page.sql.js';

/** A message to show to an account. */
export interface MessageRequest {
  readonly userId: number;
  readonly messageId: number;
  /** The group that was mentioned, if the notification is for that. */
  readonly groupId: number | null;
}

/** A notification on a device. */
interface NotificationOnDevice {
  readonly userId: number;
  readonly deviceId: number;
  /** The place in the order of the deliveries to the device. */
  readonly sequence: number;
  readonly messageId: number;
}

/** A removal of messages from a device. */
export interface RemovalOnDevice extends Omit<NotificationOnDevice, 'messageId'> {
  /** Attempts made before. */
  readonly attempts: number;
  /** At least one. */
  readonly messageIds: readonly number[];
}

/** A message that was notified on a device. */
interface NotifiedRow {
  readonly deviceId: number;
  readonly messageId: number;
  /** Whether the device certainly shows none of its notifications. */
  readonly isUnsent: boolean;
  /** The place of the newest of its notifications that the device may show or may yet get; null for none. */
  readonly newest: number | null;
  /** The place of the newest one that the device may show; 0 for none. */
  readonly newestSent: number;
  /** The same without those that have yet to end: they may wait for a removal, whatever their marks say. */
  readonly newestEnded: number;
}

/** The part of a message that is the same for all readers. */
export interface SentMessage {
  readonly id: number;
  /** In whole UNIX seconds. */
  readonly sentAt: number;
  readonly topic: string;
  readonly channel: { readonly id: number; readonly name: string } | null;
  readonly sender: { readonly id: number; readonly email: string; readonly fullName: string };
  readonly subdomain: string;
  readonly content: string;
  /** When the content was changed, as PostgreSQL writes it; null if it was not. */
  readonly editedAt: string | null;
  /** HTML; null when it is not stored and has to be rendered. */
  readonly rendered: string | null;
  /** By ascending id; null for a message of a channel. */
  readonly people: readonly NamedAccount[] | null;
}

/** An unread message that its recipient may read. */
export interface UnreadMessage {
  readonly sent: SentMessage;
  /** Whether the reader is a guest who cannot see every account, and perhaps not the sender. */
  readonly needsVisibilityCheck: boolean;
  /** Whether the account wants to be notified of it by its settings of now. */
  readonly isWanted: boolean;
  /** Null when it was removed. */
  readonly group: { readonly id: number; readonly name: string } | null;
}

/** A message, or, with its place, one of the requests for it. */
interface ContentRow {
  readonly id: number;
  readonly sent: SentMessage | null;
  readonly place: number | null;
  readonly needs_visibility_check: boolean;
  readonly is_wanted: boolean;
  readonly group: UnreadMessage['group'];
}

/**
 * SQL: whether an attempt of a pending delivery may be shown. Rows are marked from the beginning, so that attempts of the
 * previous release count; the first claim moves their due time away from the time of acceptance.
 */
export const MAY_BE_SHOWN = 'delivery.may_be_shown AND delivery.due_at <> delivery.accepted_at';

// A message is read once for all its readers. Nobody gets a message that was taken back. Guests cannot see every sender. LIMIT
// forces look-ups by the whole key: a plan that was made for small tables would read all recipients of a message, or all accounts
// of the organisation for each batch.
const UNREAD = `
  WITH sent AS MATERIALIZED (
    SELECT message.id, message.channel_id, message.topic, wanted.user_ids, wanted.group_ids, wanted.places,
      realm.can_access_all_users_group_id IS NOT NULL AND NOT sender.is_system_bot AS may_be_hidden,
      jsonb_build_object(
        'id', message.id, 'sentAt', floor(extract(epoch FROM message.sent_at)), 'topic', message.topic,
        'channel', CASE WHEN channel.id IS NOT NULL
          THEN jsonb_build_object('id', channel.id, 'name', channel.name) END,
        'sender', jsonb_build_object('id', sender.id, 'email', sender.email, 'fullName', sender.full_name),
        'subdomain', realm.subdomain,
        'content', message.content, 'rendered', message.rendered, 'editedAt', message.last_edited_at,
        'people', (
          SELECT jsonb_agg(jsonb_build_object('id', person.id, 'fullName', person.full_name) ORDER BY person.id)
          FROM direct_conversation_members member JOIN users person ON person.id = member.user_id
          WHERE member.conversation_id = message.conversation_id
        )
      ) AS facts
    FROM (
      SELECT message_id, array_agg(user_id) AS user_ids, array_agg(group_id) AS group_ids, array_agg(place) AS places
      FROM unnest($1::int[], $2::bigint[], $3::int[]) WITH ORDINALITY AS given (user_id, message_id, group_id, place)
      GROUP BY message_id
    ) AS wanted
    CROSS JOIN LATERAL (SELECT * FROM messages WHERE id = wanted.message_id LIMIT 1) AS message
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = message.sender_id LIMIT 1) AS sender
    CROSS JOIN LATERAL (SELECT * FROM realms WHERE id = message.realm_id LIMIT 1) AS realm
    LEFT JOIN channels channel ON channel.id = message.channel_id
  )
  SELECT id::bigint, facts AS sent, NULL::int AS place, NULL::boolean AS needs_visibility_check,
    NULL::boolean AS is_wanted, NULL::jsonb AS group
  FROM sent
  UNION ALL
  SELECT sent.id::bigint, NULL, asked.place::int, account.role >= ${roles.guest} AND sent.may_be_hidden,
    (${triggerSql()}) IS NOT NULL,
    CASE WHEN asked.group_id IS NOT NULL THEN (
      SELECT jsonb_build_object('id', id, 'name', name) FROM user_groups
      WHERE id = asked.group_id AND deactivated_at IS NULL
    ) END
  FROM sent
  CROSS JOIN LATERAL unnest(sent.user_ids, sent.group_ids, sent.places) AS asked (user_id, group_id, place)
  CROSS JOIN LATERAL (
    SELECT is_mentioned, is_wildcard_mentioned FROM user_messages
    WHERE user_id = asked.user_id AND message_id = sent.id AND NOT is_read AND is_pushed LIMIT 1
  ) AS received
  CROSS JOIN LATERAL (SELECT * FROM users WHERE id = asked.user_id LIMIT 1) AS account
  LEFT JOIN LATERAL (
    SELECT * FROM subscriptions
    WHERE channel_id = sent.channel_id AND user_id = account.id LIMIT 1
  ) AS subscription ON true
  LEFT JOIN LATERAL (
    SELECT visibility FROM user_topics
    WHERE user_id = account.id AND channel_id = sent.channel_id AND topic_key = lower(sent.topic) LIMIT 1
  ) AS own ON true`;

const WAS_SENT = `delivery.state = 'delivered' OR ${MAY_BE_SHOWN}`;

// The messages that a phone certainly has not shown, and those with a newer notification to it than the first of the removals. A
// newer one that waits for the removal does not count.
// A notification can be unsent only for a while, so that those of a day are enough: a message that is older counts as shown,
// and so does one that the ledger has removed. An id that is not in the answer is removed.
const NOTIFIED = `
  SELECT device_id AS "deviceId", message_id AS "messageId", is_unsent AND coalesce(sent_at > since, true) AS "isUnsent",
    newest, coalesce("newestSent", 0) AS "newestSent", coalesce("newestEnded", 0) AS "newestEnded"
  FROM (
    SELECT asked.device_id, notified.message_id, min(asked.sequence) AS before,
      max(notified.sequence) FILTER (WHERE notified.was_sent OR notified.is_pending) AS newest,
      max(notified.sequence) FILTER (WHERE notified.was_sent) AS "newestSent",
      max(notified.sequence) FILTER (WHERE notified.was_sent AND NOT notified.is_pending) AS "newestEnded",
      bool_and(NOT notified.was_sent) AS is_unsent, min(notified.since) AS since
    FROM unnest($1::int[], $2::int[], $3::bigint[], $4::bigint[], $5::bigint[])
      AS asked (user_id, device_id, sequence, lowest, highest)
    CROSS JOIN LATERAL (
      SELECT notification.message_id, notification.since, delivery.sequence, ${WAS_SENT} AS was_sent,
        delivery.state = 'pending' AS is_pending
      FROM (
        SELECT id, (content ->> 'messageId')::bigint AS message_id, now() - interval '1 day' AS since
        FROM push_notifications
        -- Pairs with the account, so that the planner takes the index of the account and not the one of all times; OFFSET, so
        -- that it looks up each account.
        WHERE (user_id, accepted_at) > (asked.user_id, now() - interval '1 day')
          AND (user_id, accepted_at) < (asked.user_id, 'infinity') AND kind = 'message'
          AND (content ->> 'messageId')::bigint BETWEEN asked.lowest AND asked.highest
        OFFSET 0
      ) AS notification
      CROSS JOIN LATERAL (
        -- LIMIT: by the whole key.
        SELECT * FROM push_deliveries
        WHERE notification_id = notification.id AND device_id = asked.device_id LIMIT 1
      ) AS delivery
      UNION ALL
      SELECT (page.content ->> 'messageId')::bigint, now() - interval '1 day', page.sequence,
        ${stateAt('page', 'place')} = 'd' OR ${stateAt('page', 'place')} = 'p' AND page.is_claimed,
        ${stateAt('page', 'place')} = 'p'
      FROM push_pages page
      CROSS JOIN LATERAL array_position(page.device_ids, asked.device_id) AS place
      WHERE ${mayConcern('page', 'asked.user_id', 'asked.lowest', 'asked.highest')}
        AND page.accepted_at > now() - interval '1 day'
        AND place IS NOT NULL AND ${stateAt('page', 'place')} <> 'o' AND page.content ->> 'kind' = 'message'
    ) AS notified
    GROUP BY 1, 2
  ) AS notified
  LEFT JOIN LATERAL (SELECT sent_at FROM messages WHERE id = message_id LIMIT 1) AS message ON true
  WHERE is_unsent OR newest > before`;

/** Reads messages for notifications. */
@Injectable()
export class MessageContentRepository {
  /**
   * Null for a message that was read, deleted or taken back.
   * Calls of the same moment share a statement.
   */
  readonly unread = batched((requests: readonly MessageRequest[]) => this.#unread(requests));

  /**
   * The messages that a removal has to name: those that the device may show, without those that were notified again after the
   * removal. Calls of the same moment share a statement.
   */
  readonly shownBefore = batched((removals: readonly RemovalOnDevice[]) =>
    this.#shownBefore(removals),
  );

  /**
   * Whether a later notification of a message shows it on the device, or will. One that was refused does not: the provider may take the
   * earlier one. Calls of the same moment share a statement.
   */
  readonly isNotifiedAgain = batched((notified: readonly NotificationOnDevice[]) =>
    this.#areNotifiedAgain(notified),
  );

  constructor(private readonly database: Database) {}

  async #shownBefore(removals: readonly RemovalOnDevice[]): Promise<number[][]> {
    // One entry for each device, however many removals its account has: their notifications are read once.
    const devices = [...groupBy(removals, ({ deviceId }) => deviceId).values()].map(rangeOf);
    const notified = await this.#notified(devices);
    return removals.map(({ deviceId, sequence, attempts, messageIds }) =>
      messageIds.filter((messageId) => {
        const row = notified.get(`${deviceId} ${messageId}`);
        if (row === undefined) return true;
        // Newer ones wait for this removal. They may be marked: a page is claimed as a whole, also if its worker dies.
        const newestSent = attempts < MAX_BLOCKING_ATTEMPTS ? row.newestEnded : row.newestSent;
        return !row.isUnsent && newestSent <= sequence;
      }),
    );
  }

  async #areNotifiedAgain(asked: readonly NotificationOnDevice[]): Promise<boolean[]> {
    const notified = await this.#notified(
      asked.map((one) => ({ ...one, lowest: one.messageId, highest: one.messageId })),
    );
    return asked.map(({ deviceId, messageId, sequence }) => {
      const newest = notified.get(`${deviceId} ${messageId}`)?.newest ?? sequence;
      return newest > sequence;
    });
  }

  /** By device and message. */
  async #notified(
    asked: readonly ReturnType<typeof rangeOf>[],
  ): Promise<ReadonlyMap<string, NotifiedRow>> {
    const rows = await this.database.query<NotifiedRow>('notified_messages', NOTIFIED, [
      asked.map(({ userId }) => userId),
      asked.map(({ deviceId }) => deviceId),
      asked.map(({ sequence }) => sequence),
      asked.map(({ lowest }) => lowest),
      asked.map(({ highest }) => highest),
    ]);
    return new Map(rows.map((row) => [`${row.deviceId} ${row.messageId}`, row]));
  }

  async #unread(requests: readonly MessageRequest[]): Promise<(UnreadMessage | null)[]> {
    const rows = await this.database.query<ContentRow>('unread_notified_messages', UNREAD, [
      requests.map(({ userId }) => userId),
      requests.map(({ messageId }) => messageId),
      requests.map(({ groupId }) => groupId),
    ]);
    const messages = new Map<number, SentMessage>();
    const byPlace = new Map<number, ContentRow>();
    for (const row of rows) {
      if (row.sent !== null) messages.set(row.id, row.sent);
      if (row.place !== null) byPlace.set(row.place, row);
    }
    return requests.map(({ messageId }, index) => {
      const row = byPlace.get(index + 1);
      const sent = messages.get(messageId);
      if (row === undefined || sent === undefined) return null;
      const { needs_visibility_check: needsVisibilityCheck, is_wanted: isWanted, group } = row;
      return { sent, needsVisibilityCheck, isWanted, group };
    });
  }
}

/** The first of the removals from a device, and the range of their messages. */
function rangeOf(removals: readonly RemovalOnDevice[]) {
  const [{ userId, deviceId } = { userId: 0, deviceId: 0 }] = removals;
  const ids = removals.flatMap(({ messageIds }) => messageIds);
  return {
    userId,
    deviceId,
    sequence: Math.min(...removals.map(({ sequence }) => sequence)),
    lowest: Math.min(...ids),
    highest: Math.max(...ids),
  };
}
