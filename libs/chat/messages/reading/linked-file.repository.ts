import { Injectable } from '@nestjs/common';
import { roles } from '#platform/contracts';
import { Database } from '#platform/database';
import type { Author } from '../composing/mention.repository.js';

// The rules of MessageAccess in SQL, for any number of messages `m` and an account `reader` with the groups $2. $5 is
// the role of guests.
const LINKED_WHERE_READABLE = `
  SELECT 1
  FROM attachment_messages link
  JOIN messages m ON m.id = link.message_id
  JOIN users reader ON reader.id = $1
  LEFT JOIN channels c ON c.id = m.channel_id
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = reader.id AND s.is_active
  WHERE link.attachment_id = a.id AND CASE
    WHEN c.id IS NULL THEN EXISTS (
      SELECT 1 FROM direct_conversation_members member
      WHERE member.conversation_id = m.conversation_id AND member.user_id = reader.id
    )
    ELSE (
      s.user_id IS NOT NULL OR c.is_web_public OR reader.role < $5 AND (
        NOT c.is_private OR c.can_add_subscribers_id = ANY($2::int[]) OR c.can_subscribe_id = ANY($2::int[])
      )
    ) AND (
      coalesce(c.is_history_public, NOT c.is_private)
      OR EXISTS (SELECT 1 FROM user_messages um WHERE um.user_id = reader.id AND um.message_id = m.id)
    )
  END`;

const SELECT_CLAIMABLE = `
  SELECT a.id FROM attachments a
  WHERE a.realm_id = $3 AND a.path_id = ANY($4::text[])
    AND (a.owner_id = $1 OR EXISTS (${LINKED_WHERE_READABLE}))`;

const SELECT_READABLE = `
  SELECT a.id FROM attachments a
  WHERE a.realm_id = $3 AND a.id = $4 AND EXISTS (${LINKED_WHERE_READABLE})`;

/** The uploaded files that messages link. */
@Injectable()
export class LinkedFileRepository {
  constructor(private readonly database: Database) {}

  /** The ids of the files at these paths that an account owns, or may read because a message links them. */
  async claimableBy(
    author: Author,
    groups: ReadonlySet<number>,
    paths: readonly string[],
  ): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>('claimable_files', SELECT_CLAIMABLE, [
      author.userId,
      [...groups],
      author.realmId,
      paths,
      roles.guest,
    ]);
    return rows.map((row) => row.id);
  }

  /** Whether an account may read a message that links the file. */
  async isReadBy(
    reader: Author,
    groups: ReadonlySet<number>,
    attachmentId: number,
  ): Promise<boolean> {
    const rows = await this.database.query('readable_file', SELECT_READABLE, [
      reader.userId,
      [...groups],
      reader.realmId,
      attachmentId,
      roles.guest,
    ]);
    return rows.length > 0;
  }
}
