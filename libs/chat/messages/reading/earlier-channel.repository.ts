import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository } from '#directory/groups';
import type { Caller } from '#platform/contracts';
import { Database, type Session } from '#platform/database';
import { hasChannelContent, IS_HISTORY_SHARED } from './readable-messages.js';
import type { ReadableChannels } from './visible-edits.rules.js';

const SELECT_READABLE = `
  SELECT c.id, ${IS_HISTORY_SHARED} AS "isShared" FROM channels c JOIN users reader ON reader.id = $1
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

  /**
   * Those of some channels that the caller may read, with whether they share their history with later readers; no statement
   * without channels.
   */
  async readableAmong(
    caller: Caller,
    channelIds: readonly number[],
    session: Session = this.database,
  ): Promise<ReadableChannels> {
    if (channelIds.length === 0) return new Map();
    const groups = await this.membership.groupsOf(caller.userId, session);
    const values = [caller.userId, [...groups], channelIds];
    const rows = await session.query<{ id: number; isShared: boolean }>(
      'readable_channels',
      SELECT_READABLE,
      values,
    );
    return new Map(rows.map(({ id, isShared }) => [id, isShared]));
  }
}
