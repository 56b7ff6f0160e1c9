import { Injectable } from '@nestjs/common';
import { Database } from '#database';

// Marks as read what the muted of `muted` have sent. The rows are locked in the order of their messages, as
// by everything that marks messages as read: in different orders, two could wait for each other for good.
const markingRead = (muted: string): string => `
  WITH muted AS (${muted}), unread AS (
    SELECT um.message_id
    FROM muted
    JOIN messages m ON m.sender_id = muted.muted_user_id
    JOIN user_messages um ON um.message_id = m.id
    WHERE um.user_id = $1 AND NOT um.is_read
    ORDER BY um.message_id
    FOR NO KEY UPDATE OF um
  ), read AS (
    UPDATE user_messages um SET is_read = true
    FROM unread
    WHERE um.user_id = $1 AND um.message_id = unread.message_id
  )
  SELECT muted_user_id FROM muted`;

// One statement, so one transaction.
const MUTE = markingRead(`
  INSERT INTO muted_users (user_id, muted_user_id) VALUES ($1, $2)
  ON CONFLICT DO NOTHING
  RETURNING muted_user_id`);

// A delivery that was under way did not see the muting, nor the muting its message. By now the muting can
// be seen: a delivery that ends after this has begun marks its message itself.
const MARK_WHAT_CAME_MEANWHILE = markingRead(`
  SELECT muted_user_id FROM muted_users WHERE user_id = $1 AND muted_user_id = $2`);

@Injectable()
export class MutedUserRepository {
  constructor(private readonly database: Database) {}

  /**
   * Mutes somebody for a user, and marks what they have sent as read for that user. False when they are
   * muted already; of two that mute the same at once, one is told so.
   */
  async mute(userId: number, mutedUserId: number): Promise<boolean> {
    const values = [userId, mutedUserId];
    const rows = await this.database.query('mute_user', MUTE, values);
    if (rows.length === 0) return false;
    await this.database.query('mark_what_came_meanwhile', MARK_WHAT_CAME_MEANWHILE, values);
    return true;
  }

  /** False when they are not muted. */
  async unmute(userId: number, mutedUserId: number): Promise<boolean> {
    const { count } = await this.database.prisma.mutedUser.deleteMany({
      where: { userId, mutedUserId },
    });
    return count > 0;
  }
}
