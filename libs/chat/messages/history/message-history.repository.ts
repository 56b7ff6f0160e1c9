import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';
import type { RememberedEdit } from './message-history.rules.js';

const EDITS = `
  SELECT user_id AS "userId", edited_at AS "editedAt", prev_content AS "prevContent",
    prev_rendered AS "prevRendered", prev_topic AS "prevTopic", topic,
    prev_channel_id AS "prevChannelId", channel_id AS "channelId"
  FROM message_edits WHERE message_id = $1::bigint ORDER BY id DESC`;

// A message of a muted sender arrives as read, although the accounts that mute its sender have not read it.
// Accounts share no read receipts with accounts that they mute or that mute them.
const READERS = `
  SELECT um.user_id AS "userId"
  FROM user_messages um JOIN users reader ON reader.id = um.user_id
  WHERE um.message_id = $1::bigint AND um.is_read AND um.user_id <> $2 AND reader.is_active
    AND coalesce((reader.display_settings ->> 'send_read_receipts')::boolean, true)
    AND NOT EXISTS (
      SELECT 1 FROM muted_users muting
      WHERE muting.user_id = um.user_id AND muting.muted_user_id IN ($2, $3)
        OR muting.user_id = $3 AND muting.muted_user_id = um.user_id
    )
  ORDER BY um.user_id`;

/** Reads the changes and the readers of messages. */
@Injectable()
export class MessageHistoryRepository {
  constructor(private readonly database: Database) {}

  /** The remembered changes of a message, newest first. */
  async edits(messageId: number): Promise<RememberedEdit[]> {
    return this.database.query<RememberedEdit>('message_edits', EDITS, [messageId]);
  }

  /** The accounts whose read receipt of a message the viewer may see, in ascending order; without the sender. */
  async readers(messageId: number, senderId: number, viewerId: number): Promise<number[]> {
    const values = [messageId, senderId, viewerId];
    const rows = await this.database.query<{ userId: number }>('message_read_by', READERS, values);
    return rows.map(({ userId }) => userId);
  }
}
