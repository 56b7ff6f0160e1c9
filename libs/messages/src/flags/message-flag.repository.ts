import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import { ReadMessagesRepository } from './read-messages.repository.js';

/** A flag that an account sets for itself. */
export type OwnFlag = 'read' | 'starred';

/** A change of one flag of some messages. */
export interface FlagChange {
  readonly flag: OwnFlag;
  /** Whether it is to be set or taken away. */
  readonly isSet: boolean;
  readonly messageIds: readonly number[];
}

const columns = { read: 'is_read', starred: 'is_starred' } as const satisfies Record<
  OwnFlag,
  string
>;

// The rows are locked in the order of their messages, as by everything that changes several of an account.
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

/** What accounts have marked of the messages that were sent to them. */
@Injectable()
export class MessageFlagRepository {
  constructor(
    private readonly database: Database,
    private readonly readMessages: ReadMessagesRepository,
  ) {}

  /** Marks whatever of a channel an account has not read, in slices as `markRange` does. */
  async markChannel(userId: number, channelId: number): Promise<void> {
    await this.readMessages.markRange(userId, { of: { channelId } });
  }

  /** Resolves with those of the messages that were sent to the account, in ascending order. */
  async change(userId: number, { flag, isSet, messageIds }: FlagChange): Promise<number[]> {
    if (flag === 'read' && isSet) {
      return this.readMessages.markNamed(userId, messageIds);
    }
    const rows = await this.database.query<{ message_id: number }>(`flag_${flag}`, changes[flag], [
      userId,
      messageIds,
      isSet,
    ]);
    return rows.map((row) => row.message_id);
  }
}
