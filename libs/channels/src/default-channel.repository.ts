import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';

/** The channels that new accounts are subscribed to. */
@Injectable()
export class DefaultChannelRepository {
  constructor(private readonly database: Database) {}

  /** Whether the channel is one of them now; no private or archived one can be. */
  async add(channelId: number): Promise<boolean> {
    const { count } = await this.database.prisma.channel.updateMany({
      where: { id: channelId, isPrivate: false, archivedAt: null },
      data: { isDefault: true },
    });
    return count > 0;
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
