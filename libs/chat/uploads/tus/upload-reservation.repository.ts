import { Injectable } from '@nestjs/common';
import { Database, lockAndCheckRoom } from '#platform/database';

/** A reservation of quota for a new upload. */
interface NewReservation {
  /** The id of the upload. */
  readonly id: string;
  readonly realmId: number;
  readonly userId: number;
  readonly sizeBytes: number;
  /** The time until the reservation expires, unless it is prolonged. */
  readonly lifetimeMs: number;
}

/** The reason of a rejected reservation: a limit of the account, or the quota of the organisation. */
type ReservationFault = 'too many uploads' | 'too many bytes' | 'quota exceeded';

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

// A row can be deleted only once, so its quota is returned only once.
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

/** The quota that unfinished uploads reserve. */
@Injectable()
export class UploadReservationRepository {
  constructor(private readonly database: Database) {}

  /** Reserves quota for an upload. Resolves with the reason of a rejection, or with null. */
  async reserve(
    reservation: NewReservation,
    limits: { readonly uploads: number; readonly bytes: number },
  ): Promise<ReservationFault | null> {
    const { id, realmId, userId, sizeBytes, lifetimeMs } = reservation;
    return this.database.transaction(async (transaction) => {
      if (!(await lockAndCheckRoom(transaction, reservationsOfUser, userId, limits.uploads))) {
        return 'too many uploads';
      }
      const [reserved] = await transaction.query<{ bytes: number }>(
        'reserved_bytes',
        RESERVED_BYTES,
        [userId],
      );
      if ((reserved?.bytes ?? 0) + sizeBytes > limits.bytes) return 'too many bytes';
      const rows = await transaction.query('reserve_upload', RESERVE, [
        id,
        realmId,
        userId,
        sizeBytes,
        lifetimeMs / 1000,
      ]);
      return rows.length === 0 ? 'quota exceeded' : null;
    });
  }

  /** Restarts the lifetime of a reservation. */
  async prolong(id: string, lifetimeMs: number): Promise<void> {
    await this.database.query('prolong_reservation', PROLONG, [id, lifetimeMs / 1000]);
  }

  /** Returns the quota of an upload. Does nothing after the first time, or when its file has taken the quota over. */
  async release(id: string): Promise<void> {
    await this.database.query('release_reservation', RELEASE, [id]);
  }

  /** Returns the quota of up to `limit` expired reservations. Resolves with their ids. */
  async releaseExpired(limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      'release_expired_reservations',
      RELEASE_EXPIRED,
      [limit],
    );
    return rows.map(({ id }) => id);
  }
}
