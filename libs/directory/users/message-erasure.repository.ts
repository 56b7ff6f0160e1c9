import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';

/** Which messages of an account are to be deleted. */
export interface ErasureScope {
  readonly ofPublicChannels: boolean;
  readonly ofPrivateChannels: boolean;
  readonly ofConversations: boolean;
}

/** Messages of a deactivated account that are to be deleted: those up to a time, null for none. Later messages stay. */
export interface MessageErasure {
  readonly userId: number;
  readonly realmId: number;
  readonly publicChannelsUntil: Date | null;
  readonly privateChannelsUntil: Date | null;
  readonly conversationsUntil: Date | null;
  /** No message up to this one is left to delete. */
  readonly afterId: number;
}

// A reactivated account may be deactivated again before its messages are deleted, with other kinds of messages.
const REQUEST = `
  INSERT INTO message_erasures AS earlier
    (user_id, public_channels_until, private_channels_until, conversations_until)
  SELECT user_id, CASE WHEN $2::boolean THEN moment END, CASE WHEN $3::boolean THEN moment END,
    CASE WHEN $4::boolean THEN moment END
  FROM unnest($1::int[]) AS user_id, clock_timestamp() AS moment
  ON CONFLICT (user_id) DO UPDATE SET
    public_channels_until = coalesce(excluded.public_channels_until, earlier.public_channels_until),
    private_channels_until = coalesce(excluded.private_channels_until, earlier.private_channels_until),
    conversations_until = coalesce(excluded.conversations_until, earlier.conversations_until),
    after_id = 0`;

const ACCOUNTS = 'SELECT user_id AS id FROM message_erasures ORDER BY user_id';

const LOCK = `
  SELECT erasure.user_id AS "userId", account.realm_id AS "realmId",
    erasure.public_channels_until AS "publicChannelsUntil",
    erasure.private_channels_until AS "privateChannelsUntil",
    erasure.conversations_until AS "conversationsUntil", erasure.after_id::bigint AS "afterId"
  FROM message_erasures erasure JOIN users account ON account.id = erasure.user_id
  WHERE erasure.user_id = $1
  FOR UPDATE OF erasure SKIP LOCKED`;

const CONTINUE = 'UPDATE message_erasures SET after_id = $2 WHERE user_id = $1';

const FINISH = 'DELETE FROM message_erasures WHERE user_id = $1';

/** Has the messages of accounts deleted that exist now. */
export async function requestErasure(
  transaction: Transaction,
  userIds: readonly number[],
  { ofPublicChannels, ofPrivateChannels, ofConversations }: ErasureScope,
): Promise<void> {
  const values = [userIds, ofPublicChannels, ofPrivateChannels, ofConversations];
  await transaction.query('request_erasure', REQUEST, values);
}

/** The accounts whose messages are to be deleted. */
@Injectable()
export class MessageErasureRepository {
  constructor(private readonly database: Database) {}

  /** The accounts with messages to delete. */
  async accounts(): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>('erased_accounts', ACCOUNTS, []);
    return rows.map(({ id }) => id);
  }

  /** Locks what is to be deleted of an account; null for nothing, and while another transaction has locked it. */
  async lock(transaction: Transaction, userId: number): Promise<MessageErasure | null> {
    const rows = await transaction.query<MessageErasure>('lock_erasure', LOCK, [userId]);
    return rows[0] ?? null;
  }

  /** Remembers that no message up to this one is left to delete. */
  async continueAfter(transaction: Transaction, userId: number, messageId: number): Promise<void> {
    await transaction.query('continue_erasure', CONTINUE, [userId, messageId]);
  }

  /** Remembers that all messages are deleted. */
  async finish(transaction: Transaction, userId: number): Promise<void> {
    await transaction.query('finish_erasure', FINISH, [userId]);
  }
}
