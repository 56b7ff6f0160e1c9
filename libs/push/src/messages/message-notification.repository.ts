import { Injectable } from '@nestjs/common';
import type { NotificationKind } from '#contracts';
import type { Session } from '#database';
import type { NewMessage } from '#messages';
import {
  type AcceptedDeliveries,
  type AcceptedDeliveriesRow,
  toAcceptedDeliveries,
} from '../accept/accepted-deliveries.js';
import type { NotificationContent } from '../notification-content.js';

/** How notifications are kept. */
export interface Keeping {
  readonly timeToLiveMs: number;
  /** W3C Trace Context of the request, if it is traced. */
  readonly traceParent: string | null;
}

/** Messages that are to vanish from the screens of one account's phones. */
export interface Removal {
  readonly userId: number;
  readonly content: NotificationContent & { readonly kind: 'remove' };
}

type TargetRow = Omit<AcceptedDeliveriesRow, 'kind'>;

/** The same as clients take somebody for offline after. */
const IDLE_AFTER_SECONDS = 200;

/** SQL: a UUID of version 7, made of the time and of a random one; `uuidv7()` begins with PostgreSQL 18. */
const NEW_ID = `(
  lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || '7'
  || substr(gen_random_uuid()::text, 16)
)::uuid`;

/**
 * Writes down a notification for each row of `wanted (user_id, realm_id, key_generation, content)`, with a
 * delivery for each device that counts; for those who have none there is nothing. $1 is how long it lives,
 * $2 its trace.
 *
 * How many rows there are is nothing that PostgreSQL can know beforehand, and a guess of a few would have it
 * compare each with each. So nothing here is joined but by an index or a hash.
 */
const accepting = (
  kind: NotificationKind,
  wanted: string,
  { mayWait = false, further = '' } = {},
): string => `
  WITH wanted AS MATERIALIZED (
    SELECT ${NEW_ID} AS id, person.* FROM (${wanted}) AS person
  ),
  target AS MATERIALIZED (
    SELECT wanted.*, device.id AS device_id, device.platform,
      left(encode(device.token_digest, 'hex'), 12) AS fingerprint
    FROM wanted
    JOIN push_devices device
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

// Who is told of a message, and why: the first that holds. In a channel that they have muted people are
// told of what calls themselves, and of nothing else. Last seen is written behind, but not that somebody
// is back.
const RECIPIENTS = `
  SELECT user_id, realm_id, key_generation, place_of_row, jsonb_strip_nulls(jsonb_build_object(
    'kind', 'message', 'messageId', $3::bigint, 'trigger', trigger,
    'groupId', CASE trigger WHEN 'group_mention' THEN group_id END
  )) AS content
  FROM (
    SELECT account.id AS user_id, account.realm_id, account.key_generation,
      received.ctid AS place_of_row, ($6::jsonb ->> account.id::text)::int AS group_id,
      CASE
        WHEN account.is_push_enabled AND $5::int IS NULL THEN 'direct'
        WHEN account.is_push_enabled AND received.is_mentioned
          THEN CASE WHEN $6::jsonb ? account.id::text THEN 'group_mention' ELSE 'mention' END
        WHEN subscription.is_muted THEN NULL
        WHEN account.is_push_enabled AND received.is_wildcard_mentioned
          AND coalesce(subscription.wildcard_mentions, account.is_pushed_wildcards)
          THEN 'wildcard_mention'
        WHEN $5::int IS NOT NULL
          AND coalesce(subscription.push_notifications, account.is_pushed_channels) THEN 'channel'
      END AS trigger
    FROM user_messages received
    JOIN users account
      ON account.id = received.user_id AND account.is_active AND NOT account.is_bot
    LEFT JOIN user_presence presence ON presence.user_id = account.id
    LEFT JOIN subscriptions subscription
      ON subscription.channel_id = $5::int AND subscription.user_id = account.id
    WHERE received.message_id = $3::bigint AND received.user_id <> $4::int AND NOT received.is_read
      AND (
        account.is_pushed_online OR presence.active_at IS NULL
        OR presence.active_at < extract(epoch FROM now()) - ${IDLE_AFTER_SECONDS}
      )
  ) AS recipient
  WHERE trigger IS NOT NULL`;

// The rows are the transaction's own: nobody else can move them meanwhile.
const NOTIFY = accepting('message', RECIPIENTS, {
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

const TAKE_BACK = accepting('remove', READERS, { mayWait: true });

/** The ledger, as those who tell of messages see it. */
@Injectable()
export class MessageNotificationRepository {
  /** Notifies everyone whom a message is to be told of, and marks it so for them: one statement. */
  async notify(
    session: Session,
    { id, senderId, channelId, callingGroups }: NewMessage,
    { timeToLiveMs, traceParent }: Keeping,
  ): Promise<AcceptedDeliveries[]> {
    const rows = await session.query<TargetRow>('notify_of_message', NOTIFY, [
      timeToLiveMs / 1000,
      traceParent,
      id,
      senderId,
      channelId,
      Object.fromEntries(callingGroups),
    ]);
    return rows.map((row) => toAcceptedDeliveries({ ...row, kind: 'message' }));
  }

  /** Has messages vanish from screens, for any number of accounts in one statement. */
  async takeBack(
    session: Session,
    removals: readonly Removal[],
    { timeToLiveMs, traceParent }: Keeping,
  ): Promise<AcceptedDeliveries[]> {
    const rows = await session.query<TargetRow>('take_back_messages', TAKE_BACK, [
      timeToLiveMs / 1000,
      traceParent,
      removals.map(({ userId }) => userId),
      removals.map(({ content }) => JSON.stringify(content)),
    ]);
    return rows.map((row) => toAcceptedDeliveries({ ...row, kind: 'remove' }));
  }
}
