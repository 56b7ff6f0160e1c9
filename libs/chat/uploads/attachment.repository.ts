import { Injectable } from '@nestjs/common';
import type { RemovedAttachment } from '#chat/attachments';
import { Database, lockAndCheckRoom, type Session, type Transaction } from '#platform/database';
import { STORING_HOURS } from './removed-file.repository.js';

/** An uploaded file. Its row is written before the file is stored. */
export interface Attachment {
  readonly id: number;
  readonly ownerId: number;
  readonly pathId: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** A new file. */
export interface NewAttachment extends Omit<Attachment, 'id'> {
  readonly realmId: number;
  /** The reservation of its quota; null without a reservation. */
  readonly reservationId: string | null;
}

// Takes the quota together with the row, so that concurrent uploads cannot exceed it. A reservation passes to the file.
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
  WITH removed AS (
    DELETE FROM attachments WHERE id = $1 AND ($2::int IS NULL OR owner_id = $2)
    RETURNING id, owner_id, realm_id, size_bytes, path_id
  ), noted AS (
    INSERT INTO removed_files (key, due_at) SELECT path_id, now() + interval '${STORING_HOURS} hours' FROM removed
  )
  UPDATE realms SET uploaded_bytes = uploaded_bytes - removed.size_bytes
  FROM removed WHERE realms.id = removed.realm_id
  RETURNING removed.id, removed.owner_id AS "ownerId", removed.realm_id AS "realmId",
    removed.path_id AS "pathId"`;

/** The key of an advisory lock: one process at a time removes unclaimed uploads. */
const CLEANUP_LOCK = 4_417_206_383;

// Tries the lock once. Without the lock, the result is empty. A trigger of the links sets `unlinked_at`.
const LOCK_UNCHECKED = `
  SELECT id FROM attachments
  WHERE (claimed_at IS NULL OR unlinked_at >= claimed_at)
    AND coalesce(unlinked_at, created_at) < now() - make_interval(days => $1)
    AND (SELECT pg_try_advisory_xact_lock(${CLEANUP_LOCK}))
  ORDER BY coalesce(unlinked_at, created_at), id LIMIT $2
  FOR UPDATE SKIP LOCKED`;

/** SQL: the arguments of `regexp_matches` for the folders of files that a content links. */
const LINKED_FOLDERS = `'/user_uploads/(?:download/)?([0-9]+/(?:[0-9a-f]{2}/)?[0-9A-Za-z_-]{24})/', 'g'`;

// A second statement, after the one that locks the rows: it sees every earlier link. A later link waits for the row. A file of
// a scheduled message of its owner is looked at again as if it were unlinked now. Contents are read once for all files.
const REMOVE_UNCLAIMED = `
  WITH found AS MATERIALIZED (
    SELECT a.id, a.owner_id, a.path_id,
      EXISTS (SELECT 1 FROM attachment_messages link WHERE link.attachment_id = a.id) AS is_linked
    FROM attachments a WHERE a.id = ANY($1::int[])
  ), scheduled AS MATERIALIZED (
    SELECT DISTINCT s.user_id, link[1] AS folder
    FROM scheduled_messages s CROSS JOIN LATERAL regexp_matches(s.content, ${LINKED_FOLDERS}) AS link
    WHERE s.user_id IN (SELECT owner_id FROM found WHERE NOT is_linked)
      AND s.content LIKE '%/user_uploads/%'
  ), checked AS (
    SELECT id, is_linked,
      (owner_id, regexp_replace(path_id, '/[^/]*$', '')) IN (SELECT user_id, folder FROM scheduled)
        AS is_scheduled
    FROM found
  ), claimed AS (
    UPDATE attachments a SET claimed_at = now() FROM checked WHERE a.id = checked.id AND checked.is_linked
  ), postponed AS (
    UPDATE attachments a SET unlinked_at = greatest(now(), a.claimed_at) FROM checked
    WHERE a.id = checked.id AND checked.is_scheduled AND NOT checked.is_linked
  ), removed AS (
    DELETE FROM attachments a USING checked
    WHERE a.id = checked.id AND NOT checked.is_linked AND NOT checked.is_scheduled
    RETURNING a.id, a.owner_id, a.realm_id, a.size_bytes, a.path_id
  ), noted AS (
    INSERT INTO removed_files (key, due_at) SELECT path_id, now() FROM removed
  ), given_back AS (
    UPDATE realms SET uploaded_bytes = uploaded_bytes - freed.bytes
    FROM (SELECT realm_id, sum(size_bytes)::bigint AS bytes FROM removed GROUP BY realm_id) AS freed
    WHERE realms.id = freed.realm_id
  )
  SELECT id, owner_id AS "ownerId", realm_id AS "realmId", path_id AS "pathId" FROM removed
  ORDER BY id`;

const filesOfAccount = { table: 'attachments', owner: 'owner_id' } as const;

const columns = {
  id: true,
  ownerId: true,
  pathId: true,
  fileName: true,
  contentType: true,
  sizeBytes: true,
} as const;

/** The uploaded files, and the quota that they take. */
@Injectable()
export class AttachmentRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds a file and takes its quota. Resolves with its id, or with the reason of the rejection: the quota of the
   * organisation is exceeded, or the owner has `limit` files.
   */
  async add(
    file: NewAttachment,
    limit: number,
    session: Session = this.database,
  ): Promise<number | 'quota exceeded' | 'list is full'> {
    return session.transaction(async (transaction) => {
      if (!(await lockAndCheckRoom(transaction, filesOfAccount, file.ownerId, limit)))
        return 'list is full';
      const [added] = await transaction.query<{ id: number }>('add_attachment', ADD, [
        file.realmId,
        file.ownerId,
        file.pathId,
        file.fileName,
        file.contentType,
        file.sizeBytes,
        file.reservationId,
      ]);
      return added?.id ?? 'quota exceeded';
    });
  }

  /** The file of the organisation at a path; null when it does not exist. */
  async findByPath(realmId: number, pathId: string): Promise<Attachment | null> {
    const where = { realmId, pathId };
    return toAttachment(
      await this.database.prisma.attachment.findFirst({ where, select: columns }),
    );
  }

  /** A file of any organisation; null when it does not exist. */
  async find(id: number): Promise<Attachment | null> {
    const where = { id };
    return toAttachment(
      await this.database.prisma.attachment.findUnique({ where, select: columns }),
    );
  }

  /**
   * Removes a file, with `ownerId` only that of the owner, and returns its quota. Resolves with the file; null if there is
   * none.
   */
  async remove(
    transaction: Transaction,
    id: number,
    ownerId: number | null,
  ): Promise<RemovedFile | null> {
    const values = [id, ownerId];
    const [row] = await transaction.query<RemovedFile>('remove_attachment', REMOVE, values);
    return row ?? null;
  }

  /**
   * Checks up to `limit` files whose upload, or the last removal of a link, is this long ago by the clock of PostgreSQL.
   * Removes those that no message links. Marks the others as claimed: they are checked again only after the removal of a
   * link. Checks none while another process does so.
   */
  async removeUnclaimed(
    days: number,
    limit: number,
    session: Session = this.database,
  ): Promise<CleanupResult> {
    return session.transaction(async (transaction) => {
      const values = [days, limit];
      const checked = await transaction.query<{ id: number }>('unsettled', LOCK_UNCHECKED, values);
      if (checked.length === 0) return { checked: 0, removed: [] };
      const ids = checked.map(({ id }) => id);
      const removed = await transaction.query<RemovedFile>('settle_attachments', REMOVE_UNCLAIMED, [
        ids,
      ]);
      return { checked: checked.length, removed };
    });
  }
}

/** A removed file with its path. */
export interface RemovedFile extends RemovedAttachment {
  readonly pathId: string;
}

/** The number of checked files, and the removed ones. */
export interface CleanupResult {
  readonly checked: number;
  readonly removed: readonly RemovedFile[];
}

type Row = Omit<Attachment, 'sizeBytes'> & { readonly sizeBytes: bigint };

const toAttachment = (row: Row | null): Attachment | null =>
  row === null ? null : { ...row, sizeBytes: Number(row.sizeBytes) };
