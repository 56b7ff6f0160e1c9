import { Injectable } from '@nestjs/common';
import { Database, hasRoom, type Session, type Transaction } from '#platform/database';

const ADD = `
  UPDATE channels SET is_default = true
  WHERE id = $1 AND NOT is_private AND archived_at IS NULL
  RETURNING id`;

const IS_DEFAULT = `SELECT FROM channels WHERE id = $1 AND is_default AND archived_at IS NULL`;

const REMOVE = `UPDATE channels SET is_default = false WHERE id = $1`;

const SUBSCRIBE = `
  INSERT INTO subscriptions (channel_id, user_id)
  SELECT id, $2::int FROM channels
  WHERE realm_id = $1 AND is_default AND archived_at IS NULL
  ON CONFLICT DO NOTHING`;

const defaultsOfRealm = { table: 'channels', owner: 'realm_id', where: 'is_default' } as const;

/** The channels that new accounts are subscribed to. */
@Injectable()
export class DefaultChannelRepository {
  constructor(private readonly database: Database) {}

  /** False for a private or archived channel, `list is full` beyond `limit`; true when the channel is a default one now. */
  async add(
    realmId: number,
    channelId: number,
    limit: number,
    session: Session = this.database,
  ): Promise<boolean | 'list is full'> {
    return session.transaction(async (transaction) => {
      if (!(await hasRoom(transaction, defaultsOfRealm, realmId, limit))) {
        const known = await transaction.query('is_default_channel', IS_DEFAULT, [channelId]);
        return known.length > 0 ? true : 'list is full';
      }
      const rows = await transaction.query('add_default_channel', ADD, [channelId]);
      return rows.length > 0;
    });
  }

  async remove(channelId: number, session: Session = this.database): Promise<void> {
    await session.query('remove_default_channel', REMOVE, [channelId]);
  }
}

/**
 * Subscribes a new account to the organisation's default channels, except archived ones, in the transaction that
 * creates the account: one statement for all channels. An existing subscription stays as it is.
 */
export async function subscribeToDefaultChannels(
  transaction: Transaction,
  realmId: number,
  userId: number,
): Promise<void> {
  await transaction.query('subscribe_to_defaults', SUBSCRIBE, [realmId, userId]);
}
