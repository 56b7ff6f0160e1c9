import { Injectable } from '@nestjs/common';
import { Database, hasRoom, type Prisma } from '#database';

const ADD = `
  UPDATE channels SET is_default = true
  WHERE id = $1 AND NOT is_private AND archived_at IS NULL
  RETURNING id`;

const IS_DEFAULT = `SELECT FROM channels WHERE id = $1 AND is_default AND archived_at IS NULL`;

const defaultsOfRealm = { table: 'channels', owner: 'realm_id', where: 'is_default' } as const;

/** The channels that new accounts are subscribed to. */
@Injectable()
export class DefaultChannelRepository {
  constructor(private readonly database: Database) {}

  /** Whether the channel is one of them now; no private or archived one can be, nor one beyond `limit`. */
  async add(realmId: number, channelId: number, limit: number): Promise<boolean | 'list is full'> {
    return this.database.transaction(async (session) => {
      if (!(await hasRoom(session, defaultsOfRealm, realmId, limit))) {
        const known = await session.query('is_default_channel', IS_DEFAULT, [channelId]);
        return known.length > 0 ? true : 'list is full';
      }
      const rows = await session.query('add_default_channel', ADD, [channelId]);
      return rows.length > 0;
    });
  }

  async remove(channelId: number): Promise<void> {
    await this.database.prisma.channel.updateMany({
      where: { id: channelId },
      data: { isDefault: false },
    });
  }
}

/**
 * Subscribes a new account to the organisation's default channels, those archived left out, in the
 * transaction that makes the account: one statement, whatever their number. A subscription that is
 * already there is left as it is.
 */
export async function subscribeToDefaultChannels(
  transaction: Prisma.TransactionClient,
  realmId: number,
  userId: number,
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO subscriptions (channel_id, user_id)
    SELECT id, ${userId}::int FROM channels
    WHERE realm_id = ${realmId} AND is_default AND archived_at IS NULL
    ON CONFLICT DO NOTHING`;
}
