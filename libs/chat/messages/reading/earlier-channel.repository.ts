import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import type { Caller } from '#platform/contracts';
import { Database, type Session } from '#platform/database';
import { hasChannelContent } from './readable-messages.js';

const SELECT_READABLE = `
  SELECT c.id FROM channels c JOIN users reader ON reader.id = $1
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = reader.id AND s.is_active
  WHERE c.id = ANY($3::int[]) AND c.realm_id = reader.realm_id
    AND ${hasChannelContent({ userId: 'reader.id', role: 'reader.role', groups: '$2::int[]' })}`;

/** Reads which of the channels that messages have come from an account may read. */
@Injectable()
export class EarlierChannelRepository {
  constructor(
    private readonly database: Database,
    private readonly membership: GroupMembershipRepository,
  ) {}

  /** Those of some channels that the caller may read; no statement without channels. */
  async readableAmong(
    caller: Caller,
    channelIds: readonly number[],
    session: Session = this.database,
  ): Promise<ReadonlySet<number>> {
    if (channelIds.length === 0) return new Set();
    const groups = await this.membership.groupsOf(caller.userId, session);
    const values = [caller.userId, [...groups], channelIds];
    const rows = await session.query<{ id: number }>('readable_channels', SELECT_READABLE, values);
    return new Set(rows.map(({ id }) => id));
  }
}
