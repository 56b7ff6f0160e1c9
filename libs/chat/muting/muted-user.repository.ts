import { Injectable } from '@nestjs/common';
import { ReadMessagesService } from '#chat/messages';
import { Database, hasRoom, type Session } from '#platform/database';

const MUTE = `
  INSERT INTO muted_users (user_id, muted_user_id) VALUES ($1, $2)
  ON CONFLICT DO NOTHING
  RETURNING muted_user_id`;

const IS_MUTED = `SELECT FROM muted_users WHERE user_id = $1 AND muted_user_id = $2`;

const UNMUTE = `
  DELETE FROM muted_users WHERE user_id = $1 AND muted_user_id = $2 RETURNING muted_user_id`;

const mutedByUser = { table: 'muted_users', owner: 'user_id' } as const;

@Injectable()
export class MutedUserRepository {
  constructor(
    private readonly database: Database,
    private readonly readMessages: ReadMessagesService,
  ) {}

  /**
   * Mutes an account for a user and marks its messages as read for that user. Resolves with false when the account is
   * already muted, also for all but one of several concurrent calls, and with `'list is full'` when the user has
   * already muted `limit` accounts.
   *
   * Existing messages are marked first, in batches without a lock. If that fails, the account is not muted, and a
   * retry continues with the unread rest. The transaction then marks only the messages sent since. Messages stored
   * after it are stored as read.
   */
  async mute(
    userId: number,
    mutedUserId: number,
    limit: number,
    session: Session = this.database,
  ): Promise<boolean | 'list is full'> {
    const of = { senderId: mutedUserId };
    const known = await session.query('is_muted', IS_MUTED, [userId, mutedUserId]);
    if (known.length > 0) return false;
    // Checked again below, under the lock. Here the check keeps a full list from marking messages.
    if (!(await hasRoom(session, mutedByUser, userId, limit))) return 'list is full';
    const newest = await this.readMessages.newestFrom(mutedUserId, session);
    await this.readMessages.markRange(userId, { of, upTo: newest }, session);
    return session.transaction(async (transaction) => {
      if (!(await hasRoom(transaction, mutedByUser, userId, limit))) {
        const muted = await transaction.query('is_muted', IS_MUTED, [userId, mutedUserId]);
        return muted.length === 0 ? 'list is full' : false;
      }
      await this.readMessages.lockSender(transaction, mutedUserId);
      const rows = await transaction.query('mute_user', MUTE, [userId, mutedUserId]);
      if (rows.length === 0) return false;
      const range = { of, after: newest };
      await this.readMessages.markRangeWithin(transaction, userId, range);
      return true;
    });
  }

  /** False when they are not muted. */
  async unmute(
    userId: number,
    mutedUserId: number,
    session: Session = this.database,
  ): Promise<boolean> {
    const rows = await session.query('unmute_user', UNMUTE, [userId, mutedUserId]);
    return rows.length > 0;
  }
}
