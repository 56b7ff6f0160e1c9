import { Injectable } from '@nestjs/common';
import type { ReadOnScreen } from '#chat/messages';
import type { Transaction } from '#platform/database';
import { IS_NOTIFIABLE, triggerSql, wishesJoins } from './decision.sql.js';

/** Accounts whose notifications are decided again after a change. */
interface Concerned {
  readonly userIds: readonly number[];
  /** Only these messages; null for all. */
  readonly messageIds: readonly number[] | null;
}

const IS_WANTED = `${IS_NOTIFIABLE} AND ${triggerSql()} IS NOT NULL`;

// The index of pushed messages finds the few that phones show.
const TAKE_BACK = `
  WITH unwanted AS (
    SELECT received.user_id, received.message_id
    FROM user_messages received
    JOIN users account ON account.id = received.user_id
    JOIN messages sent ON sent.id = received.message_id
    ${wishesJoins()}
    WHERE received.user_id = ANY($1::int[]) AND received.is_pushed
      AND ($2::bigint[] IS NULL OR received.message_id = ANY($2::bigint[]))
      AND NOT (${IS_WANTED})
    ORDER BY received.user_id, received.message_id
    FOR NO KEY UPDATE OF received
  )
  UPDATE user_messages received SET is_pushed = false FROM unwanted
  WHERE received.user_id = unwanted.user_id AND received.message_id = unwanted.message_id
  RETURNING received.user_id AS "userId", received.message_id::bigint AS "messageId"`;

/** A change does not notify of messages that were unread for longer: nobody expects them. */
const LOOK_BACK = `interval '1 hour'`;
const MAX_LOOKED_AT = 1000;

const WANTED_FROM = `
  SELECT account.id AS "userId", min(sent.id)::bigint AS "messageId"
  FROM users account
  CROSS JOIN LATERAL (
    SELECT * FROM user_messages
    WHERE user_id = account.id AND NOT is_read AND NOT is_pushed
      AND ($2::bigint[] IS NULL OR message_id BETWEEN $3 AND $4)
    ORDER BY message_id DESC LIMIT ${MAX_LOOKED_AT}
  ) AS received
  JOIN messages sent ON sent.id = received.message_id AND sent.sent_at > now() - ${LOOK_BACK}
  ${wishesJoins()}
  WHERE account.id = ANY($1::int[]) AND ($2::bigint[] IS NULL OR sent.id = ANY($2::bigint[]))
    AND ${IS_WANTED}
  GROUP BY account.id`;

/** Finds the messages about which a change of their facts decides otherwise. */
@Injectable()
export class DecidedAgainRepository {
  /** Marks the messages as not pushed that phones show and that their accounts do not want any more. */
  async takeBack(
    transaction: Transaction,
    { userIds, messageIds }: Concerned,
  ): Promise<ReadOnScreen[]> {
    return transaction.query('take_back_messages', TAKE_BACK, [userIds, messageIds]);
  }

  /** By account, the first message of the last hour that it wants now and that no phone shows; without accounts without any. */
  async wantedFrom(
    transaction: Transaction,
    { userIds, messageIds }: Concerned,
  ): Promise<ReadonlyMap<number, number>> {
    const rows = await transaction.query<ReadOnScreen>('wanted_messages', WANTED_FROM, [
      userIds,
      messageIds,
      messageIds?.at(0) ?? null,
      messageIds?.at(-1) ?? null,
    ]);
    return new Map(rows.map(({ userId, messageId }) => [userId, messageId]));
  }
}
