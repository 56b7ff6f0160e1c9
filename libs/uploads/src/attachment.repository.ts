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

/** Any number that nothing else locks: one process at a time settles old uploads. */
const SETTLING_LOCK = 4_417_206_383;

// The lock is tried once. Without it there is nothing to look at.
const LOOK_AT_UNSETTLED = `
  SELECT id FROM attachments
  WHERE claimed_at IS NULL AND created_at < $1 AND (SELECT pg_try_advisory_xact_lock(${SETTLING_LOCK}))
  ORDER BY created_at, id LIMIT $2
  FOR UPDATE SKIP LOCKED`;

// A statement of its own, behind the one that locks the rows: it sees every link that was stored before. A link that
// is to be stored now waits for the row.
const SETTLE = `
  WITH looked AS (
    SELECT a.id, EXISTS (SELECT 1 FROM attachment_messages link WHERE link.attachment_id = a.id) AS is_linked
    FROM attachments a WHERE a.id = ANY($1::int[])
  ), claimed AS (
    UPDATE attachments a SET claimed_at = now() FROM looked WHERE a.id = looked.id AND looked.is_linked
  ), removed AS (
    DELETE FROM attachments a USING looked WHERE a.id = looked.id AND NOT looked.is_linked
    RETURNING a.realm_id, a.size_bytes, a.path_id
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

  /**
   * Looks at up to `limit` old files: removes those that no message links, and notes of the others that they are
   * claimed, so that they are not looked at again. Looks at none while another process does so.
   */
  async settle(olderThan: Date, limit: number): Promise<SettledUploads> {
    return this.database.transaction(async (session) => {
      const values = [olderThan, limit];
      const looked = await session.query<{ id: number }>('unsettled', LOOK_AT_UNSETTLED, values);
      if (looked.length === 0) return { looked: 0, removedPaths: [] };
      const ids = looked.map(({ id }) => id);
      const removed = await session.query<{ pathId: string }>('settle_attachments', SETTLE, [ids]);
      return { looked: looked.length, removedPaths: removed.map(({ pathId }) => pathId) };
    });
  }
}

/** How many old files were looked at, and the paths of those that were removed. */
export interface SettledUploads {
  readonly looked: number;
  readonly removedPaths: readonly string[];
}

type Row = Omit<Attachment, 'sizeBytes'> & { readonly sizeBytes: bigint };

const toAttachment = (row: Row | null): Attachment | null =>
  row === null ? null : { ...row, sizeBytes: Number(row.sizeBytes) };
