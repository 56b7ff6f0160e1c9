import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import { idIn, mayConcern, pageIdOf } from '#push/notifications';
import type { receiptEvents } from './receipts.schema.js';

/** What happened to a notification on a phone. */
export interface Receipt {
  readonly notificationId: string | null;
  readonly messageId: number | null;
  readonly event: (typeof receiptEvents)[number];
  /** UNIX seconds, by the clock of the phone. */
  readonly time: number;
}

/** A receipt about a notification of its sender. */
export interface KnownReceipt {
  readonly event: Receipt['event'];
  /** From the acceptance of the notification; null if the event was known. */
  readonly seconds: number | null;
}

/** The newest notifications of an account, of which those of messages are found. */
const MOST_SEARCHED = 10_000;
/** How far the clock of a phone may be ahead. */
const AHEAD_SECONDS = 60;

const firstOf = (event: string): string => `min(at) FILTER (WHERE event = '${event}')`;

const keptOf = (event: string): string =>
  `${event}_at = coalesce(stored.${event}_at, excluded.${event}_at)`;

const ADD = `
  WITH given AS (
    SELECT * FROM unnest($3::uuid[], $4::bigint[], $5::text[], $6::float8[])
      WITH ORDINALITY AS given (notification_id, message_id, event, seconds, place)
  ), of_messages AS MATERIALIZED (
    SELECT DISTINCT ON (message_id) message_id, id, accepted_at FROM (
      SELECT * FROM (
        SELECT id, accepted_at, kind, (content ->> 'messageId')::bigint AS message_id
        FROM push_notifications
        WHERE user_id = $1 AND EXISTS (SELECT FROM given WHERE message_id IS NOT NULL)
        ORDER BY accepted_at DESC LIMIT ${MOST_SEARCHED}
      ) AS newest
      WHERE kind = 'message' AND message_id IN (SELECT given.message_id FROM given)
      UNION ALL
      SELECT in_page.id, in_page.accepted_at, 'message', wanted.message_id
      FROM (SELECT DISTINCT message_id FROM given WHERE message_id IS NOT NULL) AS wanted
      CROSS JOIN LATERAL (
        SELECT ${idIn('page', '$1')} AS id, page.accepted_at FROM push_pages page
        WHERE ${mayConcern('page', '$1', 'wanted.message_id', 'wanted.message_id')}
          AND page.content ->> 'kind' = 'message' AND array_position(page.user_ids, $1) IS NOT NULL
        OFFSET 0
      ) AS in_page
    ) AS notified
    ORDER BY message_id, accepted_at
  ), found AS (
    SELECT given.place, given.event, given.seconds, notification.id, notification.accepted_at
    FROM given CROSS JOIN LATERAL (
      -- By the key alone: with old statistics the planner would read all notifications of the account as well.
      SELECT id, accepted_at, user_id FROM push_notifications WHERE id = given.notification_id LIMIT 1
    ) AS notification
    WHERE notification.user_id = $1
    UNION ALL
    SELECT given.place, given.event, given.seconds, in_page.id, in_page.accepted_at
    FROM given CROSS JOIN LATERAL (
      SELECT ${idIn('page', '$1')} AS id, page.accepted_at FROM push_pages page
      WHERE page.id = ${pageIdOf('given.notification_id')} LIMIT 1
    ) AS in_page
    -- A notification with rows of its own was found above.
    WHERE in_page.id = given.notification_id
      AND NOT EXISTS (SELECT FROM push_notifications known WHERE known.id = in_page.id)
    UNION ALL
    SELECT given.place, given.event, given.seconds, of_messages.id, of_messages.accepted_at
    FROM given JOIN of_messages USING (message_id)
  ), known AS (
    SELECT found.*, greatest(
      accepted_at, least(to_timestamp(seconds), now() + interval '${AHEAD_SECONDS} seconds')
    ) AS at
    FROM found
    WHERE $2 = 0 OR EXISTS (SELECT FROM ${PUSH_TARGETS} AS target WHERE id = $2 AND user_id = $1)
  ), before AS (
    SELECT stored.* FROM push_receipts stored
    WHERE notification_id IN (SELECT id FROM known) AND device_id = $2
  ), stored AS (
    INSERT INTO push_receipts AS stored
      (notification_id, device_id, accepted_at, received_at, displayed_at, opened_at, dismissed_at)
    SELECT id, $2, min(accepted_at), ${firstOf('received')}, ${firstOf('displayed')},
      ${firstOf('opened')}, ${firstOf('dismissed')}
    FROM known GROUP BY id
    -- Two requests that store the same rows lock them in the same order.
    ORDER BY id
    ON CONFLICT (notification_id, device_id) DO UPDATE SET ${keptOf('received')}, ${keptOf('displayed')},
      ${keptOf('opened')}, ${keptOf('dismissed')}
  )
  SELECT known.event, CASE
    WHEN (to_jsonb(before) ->> (known.event || '_at')) IS NULL
      THEN extract(epoch FROM known.at - known.accepted_at)::float8
  END AS seconds
  FROM known LEFT JOIN before ON before.notification_id = known.id
  ORDER BY known.place`;

const FORGET = `
  DELETE FROM push_receipts WHERE (notification_id, device_id) IN (
    SELECT notification_id, device_id FROM push_receipts
    WHERE accepted_at < now() - make_interval(secs => $1 / 1000.0)
    ORDER BY accepted_at LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  RETURNING 1 AS removed`;

/** Stores what phones say of notifications. */
@Injectable()
export class ReceiptRepository {
  constructor(private readonly database: Database) {}

  /** Stores the first receipt of each event, and resolves with those about notifications of the account. */
  add(userId: number, deviceId: number, receipts: readonly Receipt[]): Promise<KnownReceipt[]> {
    return this.database.query<KnownReceipt>('add_push_receipts', ADD, [
      userId,
      deviceId,
      receipts.map(({ notificationId }) => notificationId),
      receipts.map(({ messageId }) => messageId),
      receipts.map(({ event }) => event),
      receipts.map(({ time }) => time),
    ]);
  }

  /** Removes receipts of notifications that were accepted before `ageMs`, at most `limit`; resolves with their number. */
  async forget(ageMs: number, limit: number): Promise<number> {
    return (await this.database.query('forget_push_receipts', FORGET, [ageMs, limit])).length;
  }
}
