import { Injectable } from '@nestjs/common';
import { SYSTEM_SUBDOMAIN } from '#directory/realms';
import { Database, type Session, type Transaction } from '#platform/database';

/** An organisation to upload. */
export interface UploadedRealm {
  readonly id: number;
  readonly uuid: string;
  readonly ownerSecret: string;
  readonly subdomain: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly isDeactivated: boolean;
}

/** The status of an organisation at the service. */
export interface RealmPushStatus {
  readonly uuid: string;
  readonly canPush: boolean;
  readonly endsAt: Date | null;
}

/** A claimed upload. */
interface ClaimedUpload {
  /** Failures before it. */
  readonly attempts: number;
  /** Whether an upload succeeded lately, or the service said that it sends. */
  readonly hasWorked: boolean;
  /** The count of changes of organisations; the upload has all of them. */
  readonly change: number;
}

const IDENTIFY = `
  INSERT INTO push_service_realms (realm_id)
  SELECT id FROM realms
  WHERE NOT EXISTS (SELECT FROM push_service_realms WHERE realm_id = realms.id)
  ON CONFLICT (realm_id) DO NOTHING`;

// The organisation of the system bots has no people.
const LIST = `
  SELECT realm.id, identity.uuid, identity.owner_secret AS "ownerSecret", realm.subdomain, realm.name,
    realm.created_at AS "createdAt", realm.deactivated_at IS NOT NULL AS "isDeactivated"
  FROM realms realm JOIN push_service_realms identity ON identity.realm_id = realm.id
  WHERE realm.subdomain <> $1
  ORDER BY realm.id`;

// A due time within the lease belongs to an upload that runs.
const REQUEST_UPLOAD = `
  INSERT INTO push_service_uploads (id) VALUES (1)
  ON CONFLICT (id) DO UPDATE SET due_at = now()
  WHERE push_service_uploads.due_at > now() + make_interval(secs => $1)
    AND (push_service_uploads.attempts = 0 OR $3)
    AND (
      push_service_uploads.uploaded_at IS NULL
      OR push_service_uploads.uploaded_at < now() - make_interval(secs => $2)
    )`;

// An upload that runs, and the pause after a failure, end before the upload of a change begins.
// The column rounds its times to milliseconds: a time that was stored as `now()` would else lie ahead of `now()`.
const CLAIM = `
  UPDATE push_service_uploads SET due_at = now() + make_interval(secs => $1)
  WHERE id = 1
    AND (
      due_at <= now()::timestamptz(3)
      OR change <> uploaded_change AND attempts = 0 AND due_at > now() + make_interval(secs => $1)
    )
  RETURNING attempts, change,
    coalesce(greatest(uploaded_at, worked_at) > now() - make_interval(secs => $2), false) AS "hasWorked"`;

const SUCCEED = `
  UPDATE push_service_uploads
  SET uploaded_change = $1, uploaded_at = now(), attempts = 0, due_at = now() + make_interval(secs => $2)
  WHERE id = 1`;

const WORKED = `
  UPDATE push_service_uploads SET worked_at = now()
  WHERE id = 1 AND (worked_at IS NULL OR worked_at < now() - make_interval(secs => $1))`;

const FAIL = `
  UPDATE push_service_uploads
  SET attempts = least(attempts + 1, 1000), due_at = now() + make_interval(secs => $1)
  WHERE id = 1`;

const STORE = `
  UPDATE push_service_realms realm SET can_push = given.can_push, push_ends_at = given.ends_at
  FROM unnest($1::uuid[], $2::boolean[], $3::timestamptz[]) AS given (uuid, can_push, ends_at)
  WHERE realm.uuid = given.uuid
    AND (realm.can_push, realm.push_ends_at) IS DISTINCT FROM (given.can_push, given.ends_at)
  RETURNING realm.realm_id AS "realmId", realm.can_push AS "canPush", realm.push_ends_at AS "endsAt"`;

const SWITCH_OFF = `
  UPDATE push_service_realms SET can_push = false, push_ends_at = NULL
  WHERE can_push IS DISTINCT FROM false AND ($1::int[] IS NULL OR realm_id = ANY($1))
  RETURNING realm_id AS "realmId", can_push AS "canPush", push_ends_at AS "endsAt"`;

const STATUS = `
  SELECT can_push AS "canPush", push_ends_at AS "endsAt" FROM push_service_realms WHERE realm_id = $1`;

/** The stored status of an organisation, after a change. */
export interface ChangedRealmStatus {
  readonly realmId: number;
  readonly canPush: boolean;
  readonly endsAt: Date | null;
}

/** Stores which organisations the push service knows, and whether it sends for them. Durations are in milliseconds. */
@Injectable()
export class RealmUploadRepository {
  constructor(private readonly database: Database) {}

  /** All organisations with people, with new identities for those that have none, by ascending id. */
  async list(): Promise<UploadedRealm[]> {
    await this.database.query('identify_realms', IDENTIFY);
    return this.database.query<UploadedRealm>('list_uploaded_realms', LIST, [SYSTEM_SUBDOMAIN]);
  }

  /**
   * Makes the next upload due, unless an upload runs or has succeeded within `pauseMs`. The pause after a failure only ends
   * early with `afterFailure`.
   */
  async requestUpload(
    leaseMs: number,
    pauseMs: number,
    { afterFailure }: { readonly afterFailure: boolean },
  ): Promise<void> {
    const values = [leaseMs / 1000, pauseMs / 1000, afterFailure];
    await this.database.query('request_realm_upload', REQUEST_UPLOAD, values);
  }

  /**
   * Null while an upload runs, and if neither an upload is due nor an organisation has changed. `latelyMs` is the longest age of
   * a success that `hasWorked` counts.
   */
  async claim(leaseMs: number, latelyMs: number): Promise<ClaimedUpload | null> {
    const values = [leaseMs / 1000, latelyMs / 1000];
    const name = 'claim_realm_upload';
    const [claimed] = await this.database.query<ClaimedUpload>(name, CLAIM, values);
    return claimed ?? null;
  }

  /** The service has all changes up to this one. */
  async succeed(transaction: Transaction, change: number, repeatMs: number): Promise<void> {
    await transaction.query('succeed_realm_upload', SUCCEED, [change, repeatMs / 1000]);
  }

  async fail(retryMs: number): Promise<void> {
    await this.database.query('fail_realm_upload', FAIL, [retryMs / 1000]);
  }

  /** The service has said that it sends; noted at most once in `everyMs`. */
  async recordSuccess(transaction: Transaction, everyMs: number): Promise<void> {
    await transaction.query('push_service_worked', WORKED, [everyMs / 1000]);
  }

  /** Resolves with the organisations whose status is new. */
  store(
    transaction: Transaction,
    statuses: readonly RealmPushStatus[],
  ): Promise<ChangedRealmStatus[]> {
    return transaction.query('store_realm_push_status', STORE, [
      statuses.map(({ uuid }) => uuid),
      statuses.map(({ canPush }) => canPush),
      statuses.map(({ endsAt }) => endsAt),
    ]);
  }

  /** Of some organisations, or of all when null; resolves with those whose status is new. */
  switchOff(
    transaction: Transaction,
    realmIds: readonly number[] | null,
  ): Promise<ChangedRealmStatus[]> {
    return transaction.query('switch_off_realm_push', SWITCH_OFF, [realmIds]);
  }

  /** Null before the first answer of the service. */
  async status(
    realmId: number,
    session: Session,
  ): Promise<Omit<ChangedRealmStatus, 'realmId'> | null> {
    const [row] = await session.query<{ canPush: boolean | null; endsAt: Date | null }>(
      'realm_push_status',
      STATUS,
      [realmId],
    );
    return row === undefined || row.canPush === null ? null : { ...row, canPush: row.canPush };
  }
}
