import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import type { CurrentStop } from './push-status.rules.js';

/** An organisation of a server. */
export interface TenantRealm extends CurrentStop {
  readonly id: number;
  readonly serverId: number;
  readonly uuid: string;
  /** Whether the last upload of its server did not have it. */
  readonly isDeleted: boolean;
}

/** An organisation, as its server reports it. */
export interface ReportedRealm {
  readonly uuid: string;
  readonly ownerSecret: string;
  readonly host: string;
  readonly url: string;
  readonly name: string;
  readonly orgType: number;
  readonly isDeactivated: boolean;
  /** UNIX seconds. */
  readonly createdAt: number;
}

/** The last uploaded row of each kind. */
export interface LastRowIds {
  readonly realmCount: number;
  readonly installationCount: number;
  readonly auditLog: number;
}

/** The report of a server about itself; undefined members stay as they are. */
interface ReportedServer extends LastRowIds {
  readonly version: string | null;
  readonly featureLevel: number | null;
}

const COLUMNS = `
  id, server_id AS "serverId", uuid, locally_deleted_at IS NOT NULL AS "isDeleted",
  stopped_from AS "stoppedFrom", stop_reason AS "stopReason",
  coalesce(stopped_from <= now(), false) AS "isStopped"`;

const FIND = `SELECT ${COLUMNS} FROM remote_realms WHERE uuid = $1`;

const LAST_IDS = `
  SELECT last_realm_count_id AS "realmCount", last_installation_count_id AS "installationCount",
    last_audit_log_id AS "auditLog"
  FROM remote_servers WHERE id = $1`;

const REPORT_SERVER = `
  UPDATE remote_servers
  SET version = coalesce($2, version), feature_level = coalesce($3, feature_level),
    last_realm_count_id = greatest(last_realm_count_id, $4),
    last_installation_count_id = greatest(last_installation_count_id, $5),
    last_audit_log_id = greatest(last_audit_log_id, $6)
  WHERE id = $1`;

// Rows that do not change are not written, and rows of another server neither.
const REPORT_REALMS = `
  WITH given AS (
    SELECT * FROM unnest(
      $2::uuid[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::int[], $8::boolean[],
      $9::float8[]
    ) AS given (uuid, secret_hash, host, url, name, org_type, is_deactivated, created_at)
  ), changed AS (
    UPDATE remote_realms realm
    SET owner_secret_hash = secret_hash, host = given.host, url = given.url, name = given.name,
      org_type = given.org_type, is_deactivated = given.is_deactivated, locally_deleted_at = NULL
    FROM given
    WHERE realm.uuid = given.uuid AND realm.server_id = $1 AND (
      realm.locally_deleted_at IS NOT NULL OR (
        realm.owner_secret_hash, realm.host, realm.url, realm.name, realm.org_type, realm.is_deactivated
      ) IS DISTINCT FROM (
        secret_hash, given.host, given.url, given.name, given.org_type, given.is_deactivated
      )
    )
  )
  INSERT INTO remote_realms (
    server_id, uuid, owner_secret_hash, host, url, name, org_type, is_deactivated, created_at
  )
  SELECT $1, uuid, secret_hash, host, url, name, org_type, is_deactivated,
    to_timestamp(created_at)
  FROM given WHERE NOT EXISTS (SELECT FROM remote_realms known WHERE known.uuid = given.uuid)
  ORDER BY uuid
  ON CONFLICT (uuid) DO NOTHING`;

const OF_SERVER = `
  SELECT ${COLUMNS} FROM remote_realms WHERE server_id = $1 AND uuid = ANY ($2::uuid[])`;

const MARK_MISSING = `
  UPDATE remote_realms SET locally_deleted_at = now()
  WHERE server_id = $1 AND locally_deleted_at IS NULL AND uuid <> ALL ($2::uuid[])`;

const COUNT = `
  SELECT count(*)::int AS realms
  FROM (SELECT FROM remote_realms WHERE server_id = $1 LIMIT $2) AS realm`;

/** Stores the organisations of servers, and the reports of servers about themselves. */
@Injectable()
export class TenantRealmRepository {
  constructor(private readonly database: Database) {}

  /** Null for an unknown UUID. */
  async find(uuid: string): Promise<TenantRealm | null> {
    const [row] = await this.database.query<TenantRealm>('find_remote_realm', FIND, [uuid]);
    return row ?? null;
  }

  async lastIds(serverId: number): Promise<LastRowIds> {
    const [row] = await this.database.query<LastRowIds>('last_remote_ids', LAST_IDS, [serverId]);
    return row ?? { realmCount: 0, installationCount: 0, auditLog: 0 };
  }

  /** Other uploads of the server wait for the end of the transaction. The last ids only rise. */
  async reportServer(
    transaction: Transaction,
    serverId: number,
    reported: ReportedServer,
  ): Promise<void> {
    await transaction.query('report_remote_server', REPORT_SERVER, [
      serverId,
      reported.version,
      reported.featureLevel,
      reported.realmCount,
      reported.installationCount,
      reported.auditLog,
    ]);
  }

  /**
   * Stores the organisations of a server, which have different UUIDs, and marks its others as deleted. Resolves without
   * those that belong to another server.
   */
  async report(
    transaction: Transaction,
    serverId: number,
    realms: readonly ReportedRealm[],
  ): Promise<TenantRealm[]> {
    const uuids = realms.map(({ uuid }) => uuid);
    await transaction.query('report_remote_realms', REPORT_REALMS, [
      serverId,
      uuids,
      realms.map(({ ownerSecret }) => hash('sha256', ownerSecret, 'buffer')),
      realms.map(({ host }) => host),
      realms.map(({ url }) => url),
      realms.map(({ name }) => name),
      realms.map(({ orgType }) => orgType),
      realms.map(({ isDeactivated }) => isDeactivated),
      realms.map(({ createdAt }) => createdAt),
    ]);
    await transaction.query('mark_missing_remote_realms', MARK_MISSING, [serverId, uuids]);
    return transaction.query<TenantRealm>('remote_realms_of_server', OF_SERVER, [serverId, uuids]);
  }

  /** The organisations of a server, with those that are marked as deleted; at most `limit`. */
  async count(transaction: Transaction, serverId: number, limit: number): Promise<number> {
    const values = [serverId, limit];
    const [row] = await transaction.query<{ realms: number }>('count_remote_realms', COUNT, values);
    return row?.realms ?? 0;
  }
}
