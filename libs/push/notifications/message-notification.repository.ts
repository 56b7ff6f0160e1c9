import { Inject, Injectable } from '@nestjs/common';
import type { NewMessage } from '#chat/messages';
import { topicVisibilities } from '#chat/user-topics';
import type { NotificationKind } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { PUSH_TARGETS, RELAY_TARGETS } from '#push/client-devices';
import { RELAY_SETTINGS, type RelaySettings } from '#push/service';
import {
  type AcceptedDeliveries,
  type AcceptedDeliveriesRow,
  toAcceptedDeliveries,
} from './acceptance.repository.js';
import type { NotificationContent } from './notification.js';

/** Options of accepted notifications. */
export interface AcceptOptions {
  readonly timeToLiveMs: number;
  /** W3C Trace Context of the request, if it is traced. */
  readonly traceParent: string | null;
}

/** The recipients of a message with ids in a range, ordered by their ids. */
export interface RecipientRange {
  /** Only recipients with higher ids. */
  readonly after: number;
  /** The highest id. */
  readonly upTo: number;
}

const ALL_RECIPIENTS: RecipientRange = { after: 0, upTo: 2 ** 31 - 1 };

/** Messages to remove from the screens of an account's phones. */
export interface Removal {
  readonly userId: number;
  readonly content: NotificationContent & { readonly kind: 'remove' };
}

type TargetRow = Omit<AcceptedDeliveriesRow, 'kind'>;

/** Clients show a user as offline after the same time. */
export const IDLE_AFTER_SECONDS = 200;

/** SQL: a UUID of version 7, made of the time and of a random one; `uuidv7()` begins with PostgreSQL 18. */
const NEW_ID = `(
  lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7'
  || substr(gen_random_uuid()::text, 16)
)::uuid`;

/**
 * SQL: writes a notification for each row of `wanted (user_id, realm_id, key_generation, content)`, with a delivery
 * for each device of the current key; nothing for accounts without devices. $1 is the time to live, $2 the trace.
 *
 * PostgreSQL cannot estimate the number of rows, and a low estimate would make it choose nested loops. So every
 * join is by an index or a hash.
 */
const acceptSql = (
  kind: NotificationKind,
  targets: string,
  wanted: string,
  { mayWait = false, further = '' } = {},
): string => `
  WITH wanted AS MATERIALIZED (
    SELECT ${NEW_ID} AS id, person.* FROM (${wanted}) AS person
  ),
  target AS MATERIALIZED (
    SELECT wanted.*, device.id AS device_id, device.platform, device.fingerprint
    FROM wanted
    JOIN ${targets} device
      ON device.user_id = wanted.user_id AND device.key_generation = wanted.key_generation
  ),
  kept AS (
    INSERT INTO push_notifications (id, realm_id, user_id, kind, content, expires_at, trace_parent)
    SELECT DISTINCT ON (id) id, realm_id, user_id, '${kind}', content,
      now() + make_interval(secs => $1), $2
    FROM target
  ),
  delivery AS (
    INSERT INTO push_deliveries (notification_id, device_id, realm_id, platform, may_wait, fingerprint)
    SELECT id, device_id, realm_id, platform, ${mayWait}, fingerprint FROM target
  )${further}
  SELECT id AS notification_id, user_id, realm_id, platform,
    array_agg(device_id ORDER BY device_id) AS device_ids
  FROM target GROUP BY id, user_id, realm_id, platform`;

/** SQL: a setting that is on unless the account has switched it off. */
const isOn = (setting: string): string =>
  `coalesce((account.display_settings ->> '${setting}')::boolean, true)`;

/**
 * SQL: the first trigger that applies to a recipient, null for none. `channel` is the id of the channel of the message or
 * null, `groups` the ids of mentioned groups by user id. Reads `account`, `received`, `subscription` and `own`, the
 * account's row of the topic.
 */
export const notificationTrigger = (channel: string, groups: string): string => `CASE
        WHEN account.is_push_enabled AND ${channel} IS NULL THEN 'direct'
        WHEN account.is_push_enabled AND received.is_mentioned
          THEN CASE WHEN ${groups} ? account.id::text THEN 'group_mention' ELSE 'mention' END
        WHEN coalesce(own.visibility = ${topicVisibilities.muted}, subscription.is_muted) THEN NULL
        WHEN account.is_push_enabled AND received.is_wildcard_mentioned
          AND (coalesce(subscription.wildcard_mentions, account.is_pushed_wildcards)
            OR own.visibility = ${topicVisibilities.followed} AND ${isOn('enable_followed_topic_wildcard_mentions_notify')})
          THEN 'wildcard_mention'
        WHEN ${channel} IS NOT NULL
          AND (coalesce(subscription.push_notifications, account.is_pushed_channels)
            OR own.visibility = ${topicVisibilities.followed} AND ${isOn('enable_followed_topic_push_notifications')})
          THEN 'channel'
      END`;

// The recipients of a message, with the first trigger that applies. In a muted channel only mentions of the user or
// their groups apply, unless the user has unmuted or follows the topic; in a muted topic likewise. An edited message is not
// notified again. Presence may be written late, but a user who came back is written at once. With "+ 0" PostgreSQL cannot
// look for a range of accounts in an index that begins with the account: it would read the messages of all accounts.
const RECIPIENTS = `
  SELECT user_id, realm_id, key_generation, place_of_row, jsonb_strip_nulls(jsonb_build_object(
    'kind', 'message', 'messageId', $3::bigint, 'trigger', trigger,
    'groupId', CASE trigger WHEN 'group_mention' THEN group_id END
  )) AS content
  FROM (
    SELECT account.id AS user_id, account.realm_id, account.key_generation,
      received.ctid AS place_of_row, ($6::jsonb ->> account.id::text)::int AS group_id,
      ${notificationTrigger('$5::int', '$6::jsonb')} AS trigger
    FROM user_messages received
    JOIN users account
      ON account.id = received.user_id AND account.is_active AND NOT account.is_bot
    LEFT JOIN user_presence presence ON presence.user_id = account.id
    LEFT JOIN subscriptions subscription
      ON subscription.channel_id = $5::int AND subscription.user_id = account.id
    LEFT JOIN messages sent ON sent.id = $3::bigint
    LEFT JOIN user_topics own
      ON own.channel_id = sent.channel_id AND own.topic_key = lower(sent.topic) AND own.user_id = account.id
    WHERE received.message_id = $3::bigint
      AND received.user_id + 0 > $8::int AND received.user_id + 0 <= $9::int
      AND received.user_id <> $4::int AND NOT received.is_read
      AND NOT received.is_pushed AND ($7::int[] IS NULL OR received.user_id = ANY($7::int[]))
      AND (
        account.is_pushed_online OR presence.active_at IS NULL
        OR presence.active_at < extract(epoch FROM now()) - ${IDLE_AFTER_SECONDS}
      )
  ) AS recipient
  WHERE trigger IS NOT NULL`;

// The transaction has written or locked these rows, so that no other one can move them.
const notifySql = (targets: string): string =>
  acceptSql('message', targets, RECIPIENTS, {
    further: `,
  marked AS (
    UPDATE user_messages SET is_pushed = true
    WHERE ctid = ANY(ARRAY(SELECT place_of_row FROM target))
  )`,
  });

const READERS = `
  SELECT account.id AS user_id, account.realm_id, account.key_generation, reader.content
  FROM unnest($3::int[], $4::jsonb[]) AS reader (user_id, content)
  JOIN users account ON account.id = reader.user_id AND account.is_active`;

const removeSql = (targets: string): string =>
  acceptSql('remove', targets, READERS, { mayWait: true });

/** Accepts the notifications of messages into the ledger. */
@Injectable()
export class MessageNotificationRepository {
  readonly #notify: string;
  readonly #remove: string;

  constructor(@Inject(RELAY_SETTINGS) relay: RelaySettings | null) {
    const targets = relay === null ? PUSH_TARGETS : RELAY_TARGETS;
    this.#notify = notifySql(targets);
    this.#remove = removeSql(targets);
  }

  /**
   * Accepts a notification for each recipient of a message, by default all, and marks the message as pushed: one statement.
   * The transaction must have written or locked their rows of the message.
   */
  async notify(
    transaction: Transaction,
    { id, senderId, channelId, mentionedVia, onlyTo }: NewMessage,
    { timeToLiveMs, traceParent }: AcceptOptions,
    { after, upTo }: RecipientRange = ALL_RECIPIENTS,
  ): Promise<AcceptedDeliveries[]> {
    const rows = await transaction.query<TargetRow>('notify_of_message', this.#notify, [
      timeToLiveMs / 1000,
      traceParent,
      id,
      senderId,
      channelId,
      Object.fromEntries(mentionedVia),
      onlyTo ?? null,
      after,
      upTo,
    ]);
    return rows.map((row) => toAcceptedDeliveries({ kind: 'message', ...row }));
  }

  /** Accepts removals for any number of accounts in one statement. */
  async remove(
    transaction: Transaction,
    removals: readonly Removal[],
    { timeToLiveMs, traceParent }: AcceptOptions,
  ): Promise<AcceptedDeliveries[]> {
    const rows = await transaction.query<TargetRow>('accept_removals', this.#remove, [
      timeToLiveMs / 1000,
      traceParent,
      removals.map(({ userId }) => userId),
      removals.map(({ content }) => JSON.stringify(content)),
    ]);
    return rows.map((row) => toAcceptedDeliveries({ kind: 'remove', ...row }));
  }
}
