import { Injectable } from '@nestjs/common';
import { ReadMessagesService } from '#chat/messages';
import {
  Database,
  hasRoom,
  lockAndCheckRoom,
  lockList,
  type Session,
  type Transaction,
} from '#platform/database';

/** An account that a user has muted. */
interface MutedUser {
  readonly userId: number;
  readonly mutedAt: Date;
}

/** Above the highest cap that can be configured. */
const MAX_LISTED = 10_000_000;

const LIST = `
  SELECT muted_user_id AS "userId", muted_at AS "mutedAt" FROM muted_users
  WHERE user_id = $1 ORDER BY muted_at, muted_user_id LIMIT $2`;

const MUTE = `
  INSERT INTO muted_users (user_id, muted_user_id) VALUES ($1, $2)
  ON CONFLICT DO NOTHING
  RETURNING muted_user_id`;

const IS_MUTED = `SELECT FROM muted_users WHERE user_id = $1 AND muted_user_id = $2`;

const UNMUTE = `
  DELETE FROM muted_users WHERE user_id = $1 AND muted_user_id = $2 RETURNING muted_user_id`;

const mutedByUser = { table: 'muted_users', owner: 'user_id' } as const;

/** The accounts that users have muted. */
@Injectable()
export class MutedUserRepository {
  constructor(
    private readonly database: Database,
    private readonly readMessages: ReadMessagesService,
  ) {}

  /** The accounts that a user has muted, in the order of muting. */
  async list(userId: number, session: Session): Promise<MutedUser[]> {
    return session.query<MutedUser>('list_muted_users', LIST, [userId, MAX_LISTED]);
  }

  /**
   * Marks the messages of an account as read for a user who is going to mute it, in batches without a lock. Resolves with
   * the newest of them, for `mute`; with `already muted`, or with `list is full` when the user has muted `limit` accounts.
   * If it fails, a retry continues with the unread rest.
   */
  async markEarlierMessages(
    userId: number,
    mutedUserId: number,
    limit: number,
  ): Promise<number | 'already muted' | 'list is full'> {
    const { database: session } = this;
    const known = await session.query('is_muted', IS_MUTED, [userId, mutedUserId]);
    if (known.length > 0) return 'already muted';
    // `mute` checks it again, under the lock. Here the check keeps a full list from marking messages.
    if (!(await hasRoom(session, mutedByUser, userId, limit))) return 'list is full';
    const newest = await this.readMessages.newestFrom(mutedUserId, session);
    await this.readMessages.markRange(
      userId,
      { of: { senderId: mutedUserId }, upTo: newest },
      session,
    );
    return newest;
  }

  /**
   * Mutes an account for a user and marks its messages after `newest` as read. Of several concurrent calls, all but one
   * resolve with `already muted`. Messages stored after the transaction are stored as read. Blocks other changes of the
   * list until the end of the transaction.
   */
  async mute(
    transaction: Transaction,
    { userId, mutedUserId }: { readonly userId: number; readonly mutedUserId: number },
    { newest, limit }: { readonly newest: number; readonly limit: number },
  ): Promise<'muted' | 'already muted' | 'list is full'> {
    if (!(await lockAndCheckRoom(transaction, mutedByUser, userId, limit))) {
      const muted = await transaction.query('is_muted', IS_MUTED, [userId, mutedUserId]);
      return muted.length === 0 ? 'list is full' : 'already muted';
    }
    await this.readMessages.lockSender(transaction, mutedUserId);
    const rows = await transaction.query('mute_user', MUTE, [userId, mutedUserId]);
    if (rows.length === 0) return 'already muted';
    const range = { of: { senderId: mutedUserId }, after: newest };
    await this.readMessages.markRangeWithin(transaction, userId, range);
    return 'muted';
  }

  /** False when they are not muted. Blocks other changes of the list until the end of the transaction. */
  async unmute(transaction: Transaction, userId: number, mutedUserId: number): Promise<boolean> {
    await lockList(transaction, mutedByUser, userId);
    const rows = await transaction.query('unmute_user', UNMUTE, [userId, mutedUserId]);
    return rows.length > 0;
  }
}
