import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import { type Reading, ReadMessagesRepository } from '#messages';

const MUTE = `
  INSERT INTO muted_users (user_id, muted_user_id) VALUES ($1, $2)
  ON CONFLICT DO NOTHING
  RETURNING muted_user_id`;

// Only as long as they are muted.
const sentByMuted = (userId: number, mutedUserId: number): Reading => ({
  name: 'read_of_muted',
  rows: `
    muted_users muting
    JOIN messages m ON m.sender_id = muting.muted_user_id
    JOIN user_messages um ON um.message_id = m.id AND um.user_id = muting.user_id
    WHERE muting.user_id = $1 AND muting.muted_user_id = $2 AND NOT um.is_read`,
  values: [userId, mutedUserId],
  areTold: false,
});

@Injectable()
export class MutedUserRepository {
  constructor(
    private readonly database: Database,
    private readonly readMessages: ReadMessagesRepository,
  ) {}

  /**
   * Mutes somebody for a user, and marks what they have sent as read for that user. False when they are
   * muted already; of two that mute the same at once, one is told so.
   */
  async mute(userId: number, mutedUserId: number): Promise<boolean> {
    const reading = sentByMuted(userId, mutedUserId);
    const begin = await this.database.transaction(async (session) => {
      const rows = await session.query('mute_user', MUTE, [userId, mutedUserId]);
      return rows.length === 0 ? null : this.readMessages.markWithin(session, reading);
    });
    if (begin === null) return false;
    begin();
    // A delivery that was under way did not see the muting, nor the muting its message. By now the muting
    // can be seen: a delivery that ends after this has begun marks its message itself.
    await this.readMessages.mark(reading);
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
