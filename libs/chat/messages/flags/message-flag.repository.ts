import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { ReadMessagesRepository } from './read-messages.repository.js';

/** A flag that users set on their own messages. */
export type OwnFlag = 'read' | 'starred';

/** A change of one flag of some messages. */
export interface FlagChange {
  readonly flag: OwnFlag;
  /** True to set the flag, false to remove it. */
  readonly isSet: boolean;
  readonly messageIds: readonly number[];
}

const columns = { read: 'is_read', starred: 'is_starred' } as const satisfies Record<
  OwnFlag,
  string
>;

// Locks the rows in the order of the messages, as all statements that change several rows of an account do.
const changeOf = (column: string): string => `
  WITH held AS (
    SELECT um.message_id, um.${column} AS was_set FROM user_messages um
    WHERE um.user_id = $1 AND um.message_id = ANY($2::bigint[])
    ORDER BY um.message_id
    FOR NO KEY UPDATE
  ),
  changed AS (
    UPDATE user_messages SET ${column} = $3 FROM held
    WHERE user_messages.user_id = $1 AND user_messages.message_id = held.message_id
      AND held.was_set <> $3
  )
  SELECT message_id::bigint FROM held ORDER BY message_id`;

const changes = { read: changeOf(columns.read), starred: changeOf(columns.starred) } as const;

/** Changes the flags of received messages. */
@Injectable()
export class MessageFlagRepository {
  constructor(
    private readonly database: Database,
    private readonly readMessages: ReadMessagesRepository,
  ) {}

  /** Resolves with the ids of the messages that the account has received, in ascending order. */
  async change(
    userId: number,
    { flag, isSet, messageIds }: FlagChange,
    session: Session = this.database,
  ): Promise<number[]> {
    if (flag === 'read' && isSet) {
      return this.readMessages.markNamed(userId, messageIds, session);
    }
    const rows = await session.query<{ message_id: number }>(`flag_${flag}`, changes[flag], [
      userId,
      messageIds,
      isSet,
    ]);
    return rows.map((row) => row.message_id);
  }
}
