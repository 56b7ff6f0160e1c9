import { Injectable } from '@nestjs/common';
import { Database, hasRoom } from '#database';

/** A file that is kept, or is just about to be. */
export interface Attachment {
  readonly id: number;
  readonly ownerId: number;
  readonly pathId: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** One that is still to be kept. */
export interface NewAttachment extends Omit<Attachment, 'id'> {
  readonly realmId: number;
  /** The reservation that its room was taken with; null when its room is still to be taken. */
  readonly reservationId: string | null;
}

/**
 * The realm's room is taken with the row that it is for, so that two uploads cannot share it. Room that was
 * reserved passes from the reservation to the file.
 */
const ADD = `
  WITH reserved AS (
    DELETE FROM upload_reservations WHERE id = $7 AND realm_id = $1 RETURNING size_bytes
  ), room AS (
    UPDATE realms
    SET uploaded_bytes = uploaded_bytes + $6::bigint - coalesce((SELECT size_bytes FROM reserved), 0)
    WHERE id = $1
      AND (
        EXISTS (SELECT FROM reserved)
        OR upload_quota_mib IS NULL
        OR uploaded_bytes + $6::bigint <= upload_quota_mib * 1048576::bigint
      )
    RETURNING id
  )
  INSERT INTO attachments (realm_id, owner_id, path_id, file_name, content_type, size_bytes)
  SELECT room.id, $2, $3, $4, $5, $6::bigint FROM room
  RETURNING id`;

const REMOVE = `
  WITH removed AS (DELETE FROM attachments WHERE id = $1 RETURNING realm_id, size_bytes)
  UPDATE realms SET uploaded_bytes = uploaded_bytes - removed.size_bytes
  FROM removed WHERE realms.id = removed.realm_id`;

const REMOVE_UNCLAIMED = `
  WITH removed AS (
    DELETE FROM attachments
    WHERE id IN (
      SELECT a.id FROM attachments a
      WHERE a.created_at < $1
        AND NOT EXISTS (SELECT 1 FROM attachment_messages link WHERE link.attachment_id = a.id)
      ORDER BY a.id LIMIT $2
      FOR UPDATE SKIP LOCKED
    )
    RETURNING realm_id, size_bytes, path_id
  ), given_back AS (
    UPDATE realms SET uploaded_bytes = uploaded_bytes - freed.bytes
    FROM (SELECT realm_id, sum(size_bytes)::bigint AS bytes FROM removed GROUP BY realm_id) AS freed
    WHERE realms.id = freed.realm_id
  )
  SELECT path_id AS "pathId" FROM removed`;

const filesOfAccount = { table: 'attachments', owner: 'owner_id' } as const;

const columns = {
  id: true,
  ownerId: true,
  pathId: true,
  fileName: true,
  contentType: true,
  sizeBytes: true,
} as const;

/** The uploaded files, and what they take of their organisations' quotas. */
@Injectable()
export class AttachmentRepository {
  constructor(private readonly database: Database) {}

  /**
   * Resolves with its id; or with why it has no place: the organisation's quota is used up, or its owner has
   * `limit` files.
   */
  async add(file: NewAttachment, limit: number): Promise<number | 'no room' | 'list is full'> {
    return this.database.transaction(async (session) => {
      if (!(await hasRoom(session, filesOfAccount, file.ownerId, limit))) return 'list is full';
      const [added] = await session.query<{ id: number }>('add_attachment', ADD, [
        file.realmId,
        file.ownerId,
        file.pathId,
        file.fileName,
        file.contentType,
        file.sizeBytes,
        file.reservationId,
      ]);
      return added?.id ?? 'no room';
    });
  }

  /** Null when there is none in the organisation. */
  async findByPath(realmId: number, pathId: string): Promise<Attachment | null> {
    const where = { realmId, pathId };
    return toAttachment(
      await this.database.prisma.attachment.findFirst({ where, select: columns }),
    );
  }

  async find(id: number): Promise<Attachment | null> {
    const where = { id };
    return toAttachment(
      await this.database.prisma.attachment.findUnique({ where, select: columns }),
    );
  }

  /** Gives back the room that it took, too. */
  async remove(id: number): Promise<void> {
    await this.database.query('remove_attachment', REMOVE, [id]);
  }

  /** Removes at most `limit` that no message links; resolves with their paths. */
  async removeUnclaimed(olderThan: Date, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ pathId: string }>(
      'remove_unclaimed_attachments',
      REMOVE_UNCLAIMED,
      [olderThan, limit],
    );
    return rows.map(({ pathId }) => pathId);
  }
}

type Row = Omit<Attachment, 'sizeBytes'> & { readonly sizeBytes: bigint };

const toAttachment = (row: Row | null): Attachment | null =>
  row === null ? null : { ...row, sizeBytes: Number(row.sizeBytes) };
