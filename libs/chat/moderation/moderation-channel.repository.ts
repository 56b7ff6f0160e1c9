import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';

const SELECT_CHANNEL = `
  SELECT c.id, c.topics_policy AS "topicsPolicy"
  FROM realms r
  JOIN channels c ON c.id = r.moderation_channel_id AND c.realm_id = r.id AND c.archived_at IS NULL
  WHERE r.id = $1`;

/** The channels for reports of organisations. */
@Injectable()
export class ModerationChannelRepository {
  constructor(private readonly database: Database) {}

  /** Null when the organisation has no channel for reports or has archived it. */
  async find(
    realmId: number,
  ): Promise<{ readonly id: number; readonly topicsPolicy: string } | null> {
    const [channel] = await this.database.query<{ id: number; topicsPolicy: string }>(
      'moderation_channel',
      SELECT_CHANNEL,
      [realmId],
    );
    return channel ?? null;
  }
}
