import { Injectable } from '@nestjs/common';
import { Database, hasRoom } from '#database';
import { lockSender, ReadMessagesRepository } from '#messages';

// With the lock granted, every message of the sender up to the newest one that the statement sees is committed.
const LOOK = `
  SELECT ${lockSender('$2')}::text,
    EXISTS (SELECT 1 FROM muted_users WHERE user_id = $1 AND muted_user_id = $2) AS "isMuted",
    coalesce((SELECT max(id) FROM messages WHERE sender_id = $2), 0)::bigint AS newest`;

const MUTE = `
  WITH held AS MATERIALIZED (SELECT $2::int AS id, ${lockSender('$2')}::text)
  INSERT INTO muted_users (user_id, muted_user_id) SELECT $1, id FROM held
  ON CONFLICT DO NOTHING
  RETURNING muted_user_id`;

interface Look {
  readonly isMuted: boolean;
  readonly newest: number;
}

const IS_MUTED = `SELECT FROM muted_users WHERE user_id = $1 AND muted_user_id = $2`;

const mutedByUser = { table: 'muted_users', owner: 'user_id' } as const;

@Injectable()
export class MutedUserRepository {
  constructor(
    private readonly database: Database,
    private readonly readMessages: ReadMessagesRepository,
  ) {}

  /**
   * Mutes somebody for a user, and marks what they have sent as read for that user. False when they are
   * muted already; of two that mute the same at once, one is told so. `'list is full'` when the user has
   * muted `limit` others.
   *
   * The messages that are there come first, in slices without a lock: after a failure the user is not muted, and a
   * repetition goes on with what is still unread. The transaction then marks only what was sent meanwhile. Nothing
   * is left to do after it: a message that is stored later finds the muting.
   */
  async mute(
    userId: number,
    mutedUserId: number,
    limit: number,
  ): Promise<boolean | 'list is full'> {
    const of = { senderId: mutedUserId };
    const [look] = await this.database.query<Look>('look_before_muting', LOOK, [
      userId,
      mutedUserId,
    ]);
    if (look === undefined || look.isMuted) return false;
    // Checked again below, under the lock. Here the check keeps a full list from marking messages.
    if (!(await hasRoom(this.database, mutedByUser, userId, limit))) return 'list is full';
    await this.readMessages.markRange(userId, { of, upTo: look.newest });
    const begin = await this.database.transaction(async (session) => {
      if (!(await hasRoom(session, mutedByUser, userId, limit))) {
        const muted = await session.query('is_muted', IS_MUTED, [userId, mutedUserId]);
        return muted.length === 0 ? 'list is full' : null;
      }
      const rows = await session.query('mute_user', MUTE, [userId, mutedUserId]);
      return rows.length === 0
        ? null
        : this.readMessages.markRangeWithin(session, userId, { of, after: look.newest });
    });
    if (begin === null) return false;
    if (begin === 'list is full') return begin;
    begin();
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
