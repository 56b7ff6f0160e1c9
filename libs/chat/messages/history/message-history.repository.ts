import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';
import { renderedBytesOf } from '../reading/message-bytes.js';
import type { EditRecord } from './message-history.rules.js';

/** The parts of a message that its changes replace. */
interface PresentMessage {
  readonly topic: string;
  /** Markdown. */
  readonly content: string;
  /** HTML; null when it is not stored. */
  readonly rendered: string | null;
}

const PRESENT = 'SELECT topic, content, rendered FROM messages WHERE id = $1::bigint';

/** About the most bytes that the texts of the changes take in an answer. */
export const MAX_HISTORY_BYTES = 4_000_000;

// The answer has each text of a change twice, with HTML also in the differences.
const BYTES = `
  2 * coalesce(octet_length(prev_content), 0)
  + 4 * coalesce(octet_length(prev_rendered), ${renderedBytesOf('prev_content')}, 0)`;

const EDITS = `
  SELECT user_id AS "userId", edited_at AS "editedAt", prev_content AS "prevContent",
    prev_rendered AS "prevRendered", prev_topic AS "prevTopic", topic,
    prev_channel_id AS "prevChannelId", channel_id AS "channelId"
  FROM (
    SELECT *, sum(${BYTES}) OVER newest AS bytes, row_number() OVER newest AS place
    FROM message_edits WHERE message_id = $1::bigint WINDOW newest AS (ORDER BY id DESC)
  ) AS edit
  WHERE place = 1 OR bytes <= ${MAX_HISTORY_BYTES} ORDER BY id DESC`;

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

  /**
   * A message and its remembered changes, newest first, of one snapshot; null for an unknown message. Without the oldest
   * changes if all are too large together.
   */
  async changes(
    messageId: number,
  ): Promise<{ readonly present: PresentMessage; readonly edits: EditRecord[] } | null> {
    return this.database.snapshot(async (snapshot) => {
      const values = [messageId];
      const [present] = await snapshot.query<PresentMessage>('present_message', PRESENT, values);
      if (present === undefined) return null;
      return { present, edits: await snapshot.query('message_edits', EDITS, values) };
    });
  }

  /** The accounts whose read receipt of a message the viewer may see, in ascending order; without the sender. */
  async readers(messageId: number, senderId: number, viewerId: number): Promise<number[]> {
    const values = [messageId, senderId, viewerId];
    const rows = await this.database.query<{ userId: number }>('message_read_by', READERS, values);
    return rows.map(({ userId }) => userId);
  }
}
