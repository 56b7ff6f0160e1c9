import { Injectable } from '@nestjs/common';
import { Database, Prisma } from '#platform/database';

/** The row of a channel. */
export type StoredChannel = Omit<ChannelRow, 'firstMessageId'> & {
  readonly firstMessageId: number | null;
};

type ChannelRow = Prisma.ChannelGetPayload<object>;

/** A channel with one account's relation to it. */
export interface ChannelForUser {
  readonly channel: StoredChannel;
  readonly isSubscribed: boolean;
}

const columnOf = (field: string): string => {
  const column = `c.${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
  // The column may be widened while statements are prepared: the type of a result must not change.
  return `${column}${field === 'firstMessageId' ? '::bigint' : ''} AS "${field}"`;
};

/** The columns of the table channels (alias `c`) under the names of StoredChannel. */
export const CHANNEL_COLUMNS = Object.values(Prisma.ChannelScalarFieldEnum)
  .map(columnOf)
  .join(', ');

@Injectable()
export class ChannelRepository {
  constructor(private readonly database: Database) {}

  /** A channel of the organisation, and whether the account is subscribed to it; null when it does not exist. */
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
    const { subscriptions, firstMessageId: first, ...row } = found;
    const channel = { ...row, firstMessageId: first === null ? null : Number(first) };
    return { channel, isSubscribed: subscriptions.length > 0 };
  }
}
