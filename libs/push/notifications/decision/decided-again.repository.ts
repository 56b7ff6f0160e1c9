import { Injectable } from '@nestjs/common';
import type { ScreenRead } from '#chat/messages';
import type { Transaction } from '#platform/database';
import { IS_NOTIFIABLE, triggerSql, wishesJoins } from './decision.sql.js';

/** Accounts whose notifications are decided again after a change. */
export interface ConcernedMessages {
  readonly userIds: readonly number[];
  /** Only these messages, in ascending order; null for all. */
  readonly messageIds: readonly number[] | null;
}

/** Higher than the id of any message. */
const LAST_ID = Number.MAX_SAFE_INTEGER;

const IS_WANTED = `${IS_NOTIFIABLE} AND ${triggerSql()} IS NOT NULL`;

/** SQL: whether a message is one of those of $2; null for all. PostgreSQL hashes the list: comparing each with each takes minutes. */
const isConcerned = (messageId: string): string =>
  `($2::bigint[] IS NULL OR ${messageId} IN (SELECT unnest($2::bigint[])))`;

// The index of pushed messages finds the few that phones show, also for the update: by the index of messages, PostgreSQL would
// look for each row among all readers of its message.
const TAKE_BACK = `
  WITH unwanted AS (
    SELECT received.user_id, received.message_id
    FROM unnest($1::int[]) AS concerned (id)
    JOIN users account ON account.id = concerned.id
    JOIN user_messages received ON received.user_id = account.id AND received.is_pushed
      AND received.message_id BETWEEN $3::bigint AND $4::bigint AND ${isConcerned('received.message_id')}
    JOIN messages sent ON sent.id = received.message_id
    ${wishesJoins()}
    WHERE NOT (${IS_WANTED})
    ORDER BY received.user_id, received.message_id
    FOR NO KEY UPDATE OF received
  )
  UPDATE user_messages received SET is_pushed = false FROM unwanted
  WHERE received.user_id = unwanted.user_id AND received.message_id = unwanted.message_id AND received.is_pushed
  RETURNING received.user_id AS "userId", received.message_id::bigint AS "messageId"`;

/** A change does not notify of messages that were unread for longer: nobody expects them. */
const LOOK_BACK = `interval '1 hour'`;
const MAX_LOOKED_AT = 1000;

// Of thousands of accounts, only the unread messages since the first recent one are read.
const WANTED_FROM = `
  WITH first_recent AS MATERIALIZED (
    SELECT CASE WHEN $2::bigint[] IS NULL THEN 0 ELSE (
      SELECT min(recent.id) FROM unnest($2::bigint[]) AS moved (id)
      JOIN messages recent ON recent.id = moved.id AND recent.sent_at > now() - ${LOOK_BACK}
    ) END AS id
  )
  SELECT account.id AS "userId", min(sent.id)::bigint AS "messageId"
  FROM unnest($1::int[]) AS concerned (id)
  JOIN users account ON account.id = concerned.id
  CROSS JOIN LATERAL (
    SELECT * FROM user_messages
    WHERE user_id = account.id AND NOT is_read AND NOT is_pushed
      AND message_id BETWEEN (SELECT id FROM first_recent) AND $3::bigint AND ${isConcerned('message_id')}
    ORDER BY message_id DESC LIMIT ${MAX_LOOKED_AT}
  ) AS received
  JOIN messages sent ON sent.id = received.message_id AND sent.sent_at > now() - ${LOOK_BACK}
  ${wishesJoins()}
  WHERE ${IS_WANTED}
  GROUP BY account.id`;

/** Finds the messages about which a change of their facts decides otherwise. */
@Injectable()
export class DecidedAgainRepository {
  /** Marks the messages as not pushed that phones show and that their accounts do not want any more. */
  async takeBack(
    transaction: Transaction,
    { userIds, messageIds }: ConcernedMessages,
  ): Promise<ScreenRead[]> {
    const values = [userIds, messageIds, messageIds?.at(0) ?? 0, messageIds?.at(-1) ?? LAST_ID];
    return transaction.query('take_back_messages', TAKE_BACK, values);
  }

  /** By account, the first message of the last hour that it wants now and that no phone shows; without accounts without any. */
  async wantedFrom(
    transaction: Transaction,
    { userIds, messageIds }: ConcernedMessages,
  ): Promise<ReadonlyMap<number, number>> {
    const rows = await transaction.query<ScreenRead>('wanted_messages', WANTED_FROM, [
      userIds,
      messageIds,
      messageIds?.at(-1) ?? LAST_ID,
    ]);
    return new Map(rows.map(({ userId, messageId }) => [userId, messageId]));
  }
}
