import { Injectable } from '@nestjs/common';
import { batchedLists } from '#platform/core';
import { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import { idIn, mayConcern, pageIdOf } from '#push/notifications';
import type { receiptEvents } from './receipts.schema.js';

/** What happened to a notification on a phone. */
export interface Receipt {
  readonly userId: number;
  /** 0 if the app names none. */
  readonly deviceId: number;
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
    SELECT * FROM unnest($1::int[], $2::int[], $3::uuid[], $4::bigint[], $5::text[], $6::float8[])
      WITH ORDINALITY AS given (user_id, device_id, notification_id, message_id, event, seconds, place)
  ), of_messages AS MATERIALIZED (
    SELECT DISTINCT ON (user_id, message_id) user_id, message_id, id, accepted_at FROM (
      SELECT reporting.user_id, newest.message_id, newest.id, newest.accepted_at
      FROM (SELECT DISTINCT user_id FROM given WHERE message_id IS NOT NULL) AS reporting
      CROSS JOIN LATERAL (
        SELECT id, accepted_at, kind, (content ->> 'messageId')::bigint AS message_id
        FROM push_notifications
        WHERE user_id = reporting.user_id ORDER BY accepted_at DESC LIMIT ${MOST_SEARCHED}
      ) AS newest
      WHERE newest.kind = 'message'
        AND (reporting.user_id, newest.message_id) IN (SELECT given.user_id, given.message_id FROM given)
      UNION ALL
      SELECT wanted.user_id, wanted.message_id, in_page.id, in_page.accepted_at
      FROM (SELECT DISTINCT user_id, message_id FROM given WHERE message_id IS NOT NULL) AS wanted
      CROSS JOIN LATERAL (
        SELECT ${idIn('page', 'wanted.user_id')} AS id, page.accepted_at FROM push_pages page
        WHERE ${mayConcern('page', 'wanted.user_id', 'wanted.message_id', 'wanted.message_id')}
          AND page.content ->> 'kind' = 'message'
          AND array_position(page.user_ids, wanted.user_id) IS NOT NULL
        OFFSET 0
      ) AS in_page
    ) AS notified
    ORDER BY user_id, message_id, accepted_at
  ), found AS (
    SELECT given.*, notification.id, notification.accepted_at
    FROM given CROSS JOIN LATERAL (
      -- By the key alone: with old statistics the planner would read all notifications of the account as well.
      SELECT id, accepted_at, user_id FROM push_notifications WHERE id = given.notification_id LIMIT 1
    ) AS notification
    WHERE notification.user_id = given.user_id
    UNION ALL
    SELECT given.*, in_page.id, in_page.accepted_at
    FROM given CROSS JOIN LATERAL (
      SELECT ${idIn('page', 'given.user_id')} AS id, page.accepted_at FROM push_pages page
      WHERE page.id = ${pageIdOf('given.notification_id')} LIMIT 1
    ) AS in_page
    -- A notification with rows of its own was found above.
    WHERE in_page.id = given.notification_id
      AND NOT EXISTS (SELECT FROM push_notifications known WHERE known.id = in_page.id)
    UNION ALL
    SELECT given.*, of_messages.id, of_messages.accepted_at
    FROM given JOIN of_messages USING (user_id, message_id)
  ), known AS (
    SELECT found.*, greatest(
      accepted_at, least(to_timestamp(seconds), now() + interval '${AHEAD_SECONDS} seconds')
    ) AS at
    FROM found
    WHERE device_id = 0 OR (
      SELECT true FROM ${PUSH_TARGETS} AS target
      WHERE target.id = found.device_id AND target.user_id = found.user_id LIMIT 1
    )
  ), before AS (
    SELECT stored.* FROM (SELECT DISTINCT id, device_id FROM known) AS reported
    CROSS JOIN LATERAL (
      SELECT * FROM push_receipts WHERE notification_id = reported.id AND device_id = reported.device_id LIMIT 1
    ) AS stored
  ), stored AS (
    INSERT INTO push_receipts AS stored
      (notification_id, device_id, accepted_at, received_at, displayed_at, opened_at, dismissed_at)
    SELECT id, device_id, min(accepted_at), ${firstOf('received')}, ${firstOf('displayed')},
      ${firstOf('opened')}, ${firstOf('dismissed')}
    FROM known GROUP BY id, device_id
    -- Two statements that store the same rows lock them in the same order.
    ORDER BY id, device_id
    ON CONFLICT (notification_id, device_id) DO UPDATE SET ${keptOf('received')}, ${keptOf('displayed')},
      ${keptOf('opened')}, ${keptOf('dismissed')}
  )
  SELECT known.place::int, known.event, CASE
    WHEN (to_jsonb(before) ->> (known.event || '_at')) IS NULL
      THEN extract(epoch FROM known.at - known.accepted_at)::float8
  END AS seconds
  FROM known
  LEFT JOIN before ON before.notification_id = known.id AND before.device_id = known.device_id`;

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
  /**
   * Stores the first receipt of each event. Resolves with what is known of each in their order; null for one that is not about a
   * notification of its account, or of a device that is not there. Calls of the same moment share a statement: PostgreSQL plans it
   * at each execution, which takes longer than a search for one notification.
   */
  readonly add = batchedLists((receipts: readonly Receipt[]) => this.#addAll(receipts));

  constructor(private readonly database: Database) {}

  /** Removes receipts of notifications that were accepted before `ageMs`, at most `limit`; resolves with their number. */
  async forget(ageMs: number, limit: number): Promise<number> {
    return (await this.database.query('forget_push_receipts', FORGET, [ageMs, limit])).length;
  }

  async #addAll(receipts: readonly Receipt[]): Promise<(KnownReceipt | null)[]> {
    const rows = await this.database.query<KnownReceipt & { readonly place: number }>(
      'add_push_receipts',
      ADD,
      [
        receipts.map(({ userId }) => userId),
        receipts.map(({ deviceId }) => deviceId),
        receipts.map(({ notificationId }) => notificationId),
        receipts.map(({ messageId }) => messageId),
        receipts.map(({ event }) => event),
        receipts.map(({ time }) => time),
      ],
    );
    const byPlace = new Map(rows.map((row) => [row.place, row]));
    return receipts.map((_, index) => byPlace.get(index + 1) ?? null);
  }
}
