import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** A flag that an account sets for itself. */
export type OwnFlag = 'read' | 'starred';

/** A change of one flag of some messages. */
export interface FlagChange {
  readonly flag: OwnFlag;
  /** Whether it is to be set or taken away. */
  readonly isSet: boolean;
  readonly messageIds: readonly number[];
}

// Whoever changes several rows of an account locks them in the order of their messages: two who took them
// in different orders would wait for each other.
const MARK_CHANNEL = `
  WITH unread AS (
    SELECT um.message_id FROM user_messages um JOIN messages m ON m.id = um.message_id
    WHERE um.user_id = $1 AND NOT um.is_read AND m.channel_id = $2
    ORDER BY um.message_id
    FOR NO KEY UPDATE OF um
  )
  UPDATE user_messages SET is_read = true FROM unread
  WHERE user_messages.user_id = $1 AND user_messages.message_id = unread.message_id`;

const columns = { read: 'is_read', starred: 'is_starred' } as const satisfies Record<
  OwnFlag,
  string
>;

const changeOf = (column: string): string => `
  WITH held AS (
    SELECT message_id, ${column} AS was_set FROM user_messages
    WHERE user_id = $1 AND message_id = ANY($2::int[])
    ORDER BY message_id
    FOR NO KEY UPDATE
  ),
  changed AS (
    UPDATE user_messages SET ${column} = $3 FROM held
    WHERE user_messages.user_id = $1 AND user_messages.message_id = held.message_id
      AND held.was_set <> $3
  )
  SELECT message_id FROM held ORDER BY message_id`;

const changes = { read: changeOf(columns.read), starred: changeOf(columns.starred) } as const;

/** What accounts have marked of the messages that were sent to them. */
@Injectable()
export class MessageFlagRepository {
  constructor(private readonly database: Database) {}

  /** Marks whatever of a channel an account has not read. */
  async markChannel(userId: number, channelId: number): Promise<void> {
    await this.database.query('mark_channel', MARK_CHANNEL, [userId, channelId]);
  }

  /** Resolves with those of the messages that were sent to the account, in ascending order. */
  async change(userId: number, { flag, isSet, messageIds }: FlagChange): Promise<number[]> {
    const rows = await this.database.query<{ message_id: number }>(`flag_${flag}`, changes[flag], [
      userId,
      messageIds,
      isSet,
    ]);
    return rows.map((row) => row.message_id);
  }
}
