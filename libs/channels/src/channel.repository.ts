import { Injectable } from '@nestjs/common';
import { Database, type Prisma } from '#database';

/** A channel as its row has it. */
export type StoredChannel = Prisma.ChannelGetPayload<object>;

/** A channel with what ties one account to it. */
export interface ChannelForUser {
  readonly channel: StoredChannel;
  readonly isSubscribed: boolean;
}

@Injectable()
export class ChannelRepository {
  constructor(private readonly database: Database) {}

  /** A channel of the organisation, and whether the account is subscribed to it; null when there is none. */
  async findForUser(
    realmId: number,
    channelId: number,
    userId: number,
  ): Promise<ChannelForUser | null> {
    const found = await this.database.prisma.channel.findFirst({
      where: { id: channelId, realmId },
      include: { subscriptions: { where: { userId, isActive: true }, select: { userId: true } } },
    });
    if (found === null) return null;
    const { subscriptions, ...channel } = found;
    return { channel, isSubscribed: subscriptions.length > 0 };
  }
}
