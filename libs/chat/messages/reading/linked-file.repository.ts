import { Injectable } from '@nestjs/common';
import { Database } from '#platform/database';
import type { RealmAccount } from '#platform/contracts';
import { IS_READABLE, JOINED_CHANNEL } from './readable-messages.js';

const LINKED_WHERE_READABLE = `
  SELECT 1
  FROM attachment_messages link
  JOIN messages m ON m.id = link.message_id
  JOIN users reader ON reader.id = $1
  ${JOINED_CHANNEL}
  WHERE link.attachment_id = a.id AND ${IS_READABLE}`;

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
    author: RealmAccount,
    groups: ReadonlySet<number>,
    paths: readonly string[],
  ): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>('claimable_files', SELECT_CLAIMABLE, [
      author.userId,
      [...groups],
      author.realmId,
      paths,
    ]);
    return rows.map((row) => row.id);
  }

  /** Whether an account may read a message that links the file. */
  async isReadBy(
    reader: RealmAccount,
    groups: ReadonlySet<number>,
    attachmentId: number,
  ): Promise<boolean> {
    const rows = await this.database.query('readable_file', SELECT_READABLE, [
      reader.userId,
      [...groups],
      reader.realmId,
      attachmentId,
    ]);
    return rows.length > 0;
  }
}
