import { Injectable } from '@nestjs/common';
import type { Session, Transaction } from '#platform/database';

/** An uploaded file as its owner sees it. */
export interface OwnAttachment {
  readonly id: number;
  readonly ownerId: number;
  readonly realmId: number;
  readonly fileName: string;
  readonly sizeBytes: number;
  readonly pathId: string;
  readonly createdAt: Date;
  /** The newest messages that link the file, in ascending order. */
  readonly messageIds: readonly number[];
}

/** A file with more links is shown with the newest ones. */
const MAX_LINKS = 1000;

// Messages that link the same file take turns, so that the last event has all links.
const LOCK = `
  SELECT id FROM attachments WHERE id = ANY($1::int[]) ORDER BY id FOR NO KEY UPDATE`;

const COLUMNS = `
  a.id, a.owner_id AS "ownerId", a.realm_id AS "realmId", a.file_name AS "fileName",
    a.size_bytes AS "sizeBytes", a.path_id AS "pathId", a.created_at AS "createdAt",
    (
      SELECT coalesce(json_agg(newest.message_id ORDER BY newest.message_id), '[]') FROM (
        SELECT link.message_id FROM attachment_messages link
        WHERE link.attachment_id = a.id ORDER BY link.message_id DESC LIMIT ${MAX_LINKS}
      ) AS newest
    ) AS "messageIds"`;

const FIND = `SELECT ${COLUMNS} FROM attachments a WHERE a.id = ANY($1::int[]) ORDER BY a.id`;

const LIST = `
  SELECT ${COLUMNS} FROM (
    SELECT * FROM attachments WHERE owner_id = $1 ORDER BY id DESC LIMIT $2
  ) AS a ORDER BY a.id`;

const SPACE = `
  SELECT id, uploaded_bytes AS bytes FROM realms WHERE id = ANY($1::int[])`;

/** Reads files as their owners see them. */
@Injectable()
export class AttachmentEventRepository {
  /** Waits for other changes of the links of files, and blocks them until the end of the transaction. */
  async lock(transaction: Transaction, attachmentIds: readonly number[]): Promise<void> {
    await transaction.query('lock_attachments', LOCK, [attachmentIds]);
  }

  /** The files in the order of their ids. */
  async find(transaction: Transaction, attachmentIds: readonly number[]): Promise<OwnAttachment[]> {
    return transaction.query<OwnAttachment>('attachments_of_event', FIND, [attachmentIds]);
  }

  /** The newest files of an account, at most `limit`, in the order of their ids. */
  async list(session: Session, ownerId: number, limit: number): Promise<OwnAttachment[]> {
    return session.query<OwnAttachment>('attachments_of_account', LIST, [ownerId, limit]);
  }

  /** The size of all files by organisation, in bytes. */
  async usedSpace(
    session: Session,
    realmIds: readonly number[],
  ): Promise<ReadonlyMap<number, number>> {
    const rows = await session.query<{ id: number; bytes: number }>('used_space', SPACE, [
      [...new Set(realmIds)],
    ]);
    return new Map(rows.map(({ id, bytes }) => [id, bytes]));
  }
}
