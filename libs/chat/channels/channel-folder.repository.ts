import { Injectable } from '@nestjs/common';
import type { Session } from '#platform/database';

/** A named group of channels. */
export interface ChannelFolder {
  readonly id: number;
  readonly name: string;
  /** Markdown. */
  readonly description: string;
  readonly place: number;
  readonly creatorId: number | null;
  readonly createdAt: Date;
  readonly isArchived: boolean;
}

/** Far above the number of folders that clients can show. */
const MOST_LISTED = 10_000;

const LIST = `
  SELECT id, name, description, place, creator_id AS "creatorId", created_at AS "createdAt",
    archived_at IS NOT NULL AS "isArchived"
  FROM channel_folders WHERE realm_id = $1 ORDER BY place, id LIMIT $2`;

/** The folders of channels. No endpoint changes them yet. */
@Injectable()
export class ChannelFolderRepository {
  /** The folders of an organisation, including archived ones, in their order. */
  async list(session: Session, realmId: number): Promise<ChannelFolder[]> {
    return session.query<ChannelFolder>('channel_folders', LIST, [realmId, MOST_LISTED]);
  }
}
