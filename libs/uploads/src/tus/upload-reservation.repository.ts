import { Injectable } from '@nestjs/common';
import { Database, hasRoom } from '#database';

/** The room of an upload that is about to begin. */
export interface NewReservation {
  /** The id of the upload. */
  readonly id: string;
  readonly realmId: number;
  readonly userId: number;
  readonly sizeBytes: number;
  /** How long the upload may be silent. */
  readonly silenceMs: number;
}

/** What an account may have reserved at a time. */
export interface ReservationLimits {
  readonly uploads: number;
  readonly bytes: number;
}

/** Why there is no reservation: one of the account's limits, or the organisation's quota. */
export type ReservationFault = 'too many uploads' | 'too many bytes' | 'no room';

const RESERVED_BYTES = `
  SELECT coalesce(sum(size_bytes), 0)::float8 AS bytes FROM upload_reservations WHERE user_id = $1`;

const RESERVE = `
  WITH room AS (
    UPDATE realms SET uploaded_bytes = uploaded_bytes + $4::bigint
    WHERE id = $2
      AND (upload_quota_mib IS NULL OR uploaded_bytes + $4::bigint <= upload_quota_mib * 1048576::bigint)
    RETURNING id
  )
  INSERT INTO upload_reservations (id, realm_id, user_id, size_bytes, expires_at)
  SELECT $1, room.id, $3, $4::bigint, now() + make_interval(secs => $5) FROM room
  RETURNING id`;

const PROLONG = `
  UPDATE upload_reservations SET expires_at = now() + make_interval(secs => $2) WHERE id = $1`;

// The row goes once, whoever removes it: so its room is given back once.
const GIVE_BACK = `
  UPDATE realms SET uploaded_bytes = uploaded_bytes - freed.bytes
  FROM (SELECT realm_id, sum(size_bytes)::bigint AS bytes FROM removed GROUP BY realm_id) AS freed
  WHERE realms.id = freed.realm_id`;

const RELEASE = `
  WITH removed AS (DELETE FROM upload_reservations WHERE id = $1 RETURNING realm_id, size_bytes)
  ${GIVE_BACK}`;

const RELEASE_EXPIRED = `
  WITH removed AS (
    DELETE FROM upload_reservations WHERE id IN (
      SELECT id FROM upload_reservations WHERE expires_at < now()
      ORDER BY expires_at LIMIT $1
      FOR UPDATE SKIP LOCKED
    )
    RETURNING id, realm_id, size_bytes
  ), given_back AS (${GIVE_BACK})
  SELECT id FROM removed`;

const reservationsOfUser = { table: 'upload_reservations', owner: 'user_id' } as const;

/** The room that unfinished uploads take of their organisations' quotas. */
@Injectable()
export class UploadReservationRepository {
  constructor(private readonly database: Database) {}

  /** Takes the room of an upload; resolves with what stands against it, else with null. */
  async reserve(
    reservation: NewReservation,
    limits: ReservationLimits,
  ): Promise<ReservationFault | null> {
    const { id, realmId, userId, sizeBytes, silenceMs } = reservation;
    return this.database.transaction(async (session) => {
      if (!(await hasRoom(session, reservationsOfUser, userId, limits.uploads))) {
        return 'too many uploads';
      }
      const [reserved] = await session.query<{ bytes: number }>('reserved_bytes', RESERVED_BYTES, [
        userId,
      ]);
      if ((reserved?.bytes ?? 0) + sizeBytes > limits.bytes) return 'too many bytes';
      const rows = await session.query('reserve_upload', RESERVE, [
        id,
        realmId,
        userId,
        sizeBytes,
        silenceMs / 1000,
      ]);
      return rows.length === 0 ? 'no room' : null;
    });
  }

  /** Counts the time that the upload may be silent from now. */
  async prolong(id: string, silenceMs: number): Promise<void> {
    await this.database.query('prolong_reservation', PROLONG, [id, silenceMs / 1000]);
  }

  /** Gives the room of an upload back; nothing when that was done, or when its file has it now. */
  async release(id: string): Promise<void> {
    await this.database.query('release_reservation', RELEASE, [id]);
  }

  /** Gives back the room of uploads that were silent for too long, `limit` at most; resolves with their ids. */
  async releaseExpired(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      'release_expired_reservations',
      RELEASE_EXPIRED,
      [limit],
    );
    return rows.map(({ id }) => id);
  }
}
