import { Injectable } from '@nestjs/common';
import type { ApnsEnvironment, PhonePlatform } from '#push/jobs';
import { Database, type Session } from '#platform/database';
import { fcmTargetOf, installationOf } from '#push/encryption';
import { type DeadToken, type StoredToken, tokenDigestOf } from '#push/tokens';

/** An account of a server. Rows match one of the ids. */
export interface TenantUser {
  readonly serverId: number;
  readonly uuid: string | null;
  readonly id: number | null;
}

/** A row of a token. */
export interface TenantDevice extends StoredToken {
  readonly id: number;
  /** Whether the row has the UUID of the account. */
  readonly hasUuid: boolean;
  readonly hasRealm: boolean;
  /** Whether its organisation was missing from the last upload of the server. */
  readonly isOfDeletedRealm: boolean;
  readonly appId: string | null;
}

/** A token for encrypted notifications. */
interface SealedDevice extends StoredToken {
  readonly serverId: number;
  readonly realmId: number;
  readonly tokenId: Buffer;
  readonly appId: string | null;
}

/** A registered token for encrypted notifications. */
export interface TargetDevice {
  readonly id: number;
  readonly tokenId: Buffer;
  readonly platform: PhonePlatform;
}

const DIGEST = tokenDigestOf('$4::text', '$5::text');

// A row carries one of the ids only. The row of a registration by the other id is replaced. An insertion takes an id even
// where it finds a conflict, so known tokens are updated first.
const registerFor = (column: 'user_uuid' | 'user_id', value: string) => `
  WITH replaced AS (
    DELETE FROM remote_devices
    WHERE $2::uuid IS NOT NULL AND server_id = $1 AND user_id = $3::bigint AND platform = $4
      AND token_digest = ${DIGEST}
  ), known AS (
    UPDATE remote_devices
    SET token = $5, app_id = $6, realm_id = coalesce($7, realm_id), fcm_target = $8,
      refreshed_at = now()
    WHERE server_id = $1 AND ${column} = ${value} AND platform = $4 AND token_digest = ${DIGEST}
    RETURNING false AS is_new
  ), added AS (
    INSERT INTO remote_devices (
      server_id, ${column}, platform, token, token_digest, app_id, realm_id, fcm_target
    )
    SELECT $1, ${value}, $4, $5, ${DIGEST}, $6, $7, $8 WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (server_id, ${column}, platform, token_digest) DO UPDATE
    SET token = excluded.token, app_id = excluded.app_id, fcm_target = excluded.fcm_target,
      realm_id = coalesce(excluded.realm_id, remote_devices.realm_id), refreshed_at = now()
    RETURNING xmax = 0 AS is_new
  )
  SELECT is_new AS "isNew" FROM known UNION ALL SELECT is_new FROM added`;

const REGISTER = {
  uuid: registerFor('user_uuid', '$2::uuid'),
  id: registerFor('user_id', '$3::bigint'),
} as const;

// $1 server, $2 UUID, $3 id.
const OF_USER = `
  server_id = $1 AND token_id IS NULL AND (user_uuid = $2::uuid OR user_id = $3::bigint)`;

// A phone has one target: after a registration by its installation id Google ends its token, and after one by token its id.
const REMOVE_OTHER_TARGETS = `
  DELETE FROM remote_devices
  WHERE ${OF_USER} AND platform = 'fcm'
    AND CASE $4::text WHEN 'fid' THEN starts_with(token, $5::text || ':') ELSE token = $5::text END`;

// An account has a list of tokens for each platform, which keeps the newest.
const TRIM = `
  DELETE FROM remote_devices WHERE id IN (
    SELECT id FROM remote_devices WHERE ${OF_USER} AND platform = $4
    ORDER BY refreshed_at DESC, id DESC OFFSET $5
  )`;

const UNREGISTER = `
  DELETE FROM remote_devices
  WHERE ${OF_USER} AND platform = $4 AND token_digest = ${DIGEST} RETURNING id`;

const UNREGISTER_ALL = `DELETE FROM remote_devices WHERE ${OF_USER}`;

const LIST = `
  SELECT device.id, device.user_uuid IS NOT NULL AS "hasUuid",
    device.realm_id IS NOT NULL AS "hasRealm", device.platform, device.token,
    device.app_id AS "appId",
    realm.locally_deleted_at IS NOT NULL AS "isOfDeletedRealm"
  FROM remote_devices device
  LEFT JOIN remote_realms realm ON realm.id = device.realm_id
  WHERE device.server_id = $1 AND device.token_id IS NULL
    AND (device.user_uuid = $2::uuid OR device.user_id = $3::bigint)
  ORDER BY device.id`;

const REMOVE = `DELETE FROM remote_devices WHERE id = ANY ($1::int[])`;

const SET_REALM = `
  UPDATE remote_devices SET realm_id = $2 WHERE id = ANY ($1::int[]) AND realm_id IS NULL`;

const REGISTER_SEALED = `
  WITH known AS (
    UPDATE remote_devices
    SET platform = $4, token = $5, token_digest = ${DIGEST}, app_id = $6, fcm_target = $7,
      refreshed_at = now(), expired_at = NULL
    WHERE realm_id = $2 AND token_id = $3
    RETURNING false AS is_new
  ), added AS (
    INSERT INTO remote_devices (
      server_id, realm_id, token_id, platform, token, token_digest, app_id, fcm_target
    )
    SELECT $1, $2, $3, $4, $5, ${DIGEST}, $6, $7 WHERE NOT EXISTS (SELECT FROM known)
    ON CONFLICT (realm_id, token_id) DO UPDATE
    SET platform = excluded.platform, token = excluded.token, token_digest = excluded.token_digest,
      app_id = excluded.app_id, fcm_target = excluded.fcm_target, refreshed_at = now(),
      expired_at = NULL
    RETURNING xmax = 0 AS is_new
  )
  SELECT is_new AS "isNew" FROM known UNION ALL SELECT is_new FROM added`;

const COUNT = `
  SELECT count(*)::int AS devices
  FROM (SELECT FROM remote_devices WHERE server_id = $1 LIMIT $2) AS device`;

const IS_KNOWN = `
  SELECT FROM remote_devices
  WHERE ${OF_USER} AND platform = $4 AND token_digest = ${DIGEST} LIMIT 1`;

const IS_KNOWN_SEALED = `
  SELECT FROM remote_devices WHERE realm_id = $1 AND token_id = $2`;

const FIND_SEALED = `
  SELECT id, token_id AS "tokenId", platform FROM remote_devices
  WHERE realm_id = $1 AND token_id = ANY ($2::bytea[]) AND expired_at IS NULL`;

// Rows for encrypted notifications are kept, so that servers learn of it; others are deleted.
const REMOVE_DEAD = `
  WITH dead AS (
    SELECT device.id, device.token_id IS NOT NULL AS is_sealed, device.platform
    FROM unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
      AS dead (server_id, platform, token, app_id, since)
    JOIN remote_devices device
      ON device.platform = dead.platform AND device.server_id = dead.server_id
      AND device.token_digest = ${tokenDigestOf('dead.platform', 'dead.token')}
      AND (dead.app_id IS NULL OR device.app_id = dead.app_id)
      AND device.refreshed_at <= dead.since
  ), expired AS (
    UPDATE remote_devices SET expired_at = now()
    WHERE id IN (SELECT id FROM dead WHERE is_sealed) AND expired_at IS NULL
  ), removed AS (
    DELETE FROM remote_devices WHERE id IN (SELECT id FROM dead WHERE NOT is_sealed)
  )
  SELECT platform FROM dead`;

const LEARN = `
  UPDATE remote_devices device SET environment = learnt.environment
  FROM unnest($1::int[], $2::text[]) AS learnt (id, environment) WHERE device.id = learnt.id`;

/** Stores the tokens of the phones of servers. */
@Injectable()
export class TenantDeviceRepository {
  constructor(private readonly database: Database) {}

  /** The tokens of a server, at most `limit`. */
  async count(serverId: number, limit: number): Promise<number> {
    const values = [serverId, limit];
    const [row] = await this.database.query<{ devices: number }>(
      'count_remote_devices',
      COUNT,
      values,
    );
    return row?.devices ?? 0;
  }

  /** Whether an account has a token. */
  async isKnown(user: TenantUser, { platform, token }: StoredToken): Promise<boolean> {
    const values = [user.serverId, user.uuid, user.id, platform, token];
    return (await this.database.query('is_known_remote_device', IS_KNOWN, values)).length > 0;
  }

  /** Whether an organisation has a token for encrypted notifications, also a dead one. */
  async isKnownSealed(realmId: number, tokenId: Buffer): Promise<boolean> {
    const values = [realmId, tokenId];
    return (
      (await this.database.query('is_known_sealed_remote', IS_KNOWN_SEALED, values)).length > 0
    );
  }

  /**
   * Stores a token of an account or refreshes it, and keeps the newest tokens of the account and one target of the phone.
   * Resolves with whether it is new.
   */
  async register(
    user: TenantUser,
    {
      platform,
      token,
      appId,
      realmId,
    }: StoredToken & {
      readonly appId: string | null;
      readonly realmId: number | null;
    },
    most: number,
  ): Promise<boolean> {
    const { serverId, uuid, id } = user;
    const by = uuid === null ? 'id' : 'uuid';
    const target = platform === 'fcm' ? fcmTargetOf(token) : null;
    const installation = target === null ? null : installationOf(token);
    const values = [serverId, uuid, id, platform, token, appId, realmId, target];
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<{ isNew: boolean }>(
        `register_remote_device_by_${by}`,
        REGISTER[by],
        values,
      );
      if (installation !== null) {
        const others = [serverId, uuid, id, target, installation];
        await transaction.query('remove_other_remote_targets', REMOVE_OTHER_TARGETS, others);
      }
      await transaction.query('trim_remote_devices', TRIM, [serverId, uuid, id, platform, most]);
      return row?.isNew === true;
    });
  }

  /** False if the account has no such token. */
  async unregister(user: TenantUser, { platform, token }: StoredToken): Promise<boolean> {
    const values = [user.serverId, user.uuid, user.id, platform, token];
    const rows = await this.database.query('unregister_remote_device', UNREGISTER, values);
    return rows.length > 0;
  }

  async unregisterAll({ serverId, uuid, id }: TenantUser): Promise<void> {
    await this.database.query('unregister_remote_devices', UNREGISTER_ALL, [serverId, uuid, id]);
  }

  /** The tokens of an account, also those of a deleted organisation. */
  list({ serverId, uuid, id }: TenantUser): Promise<TenantDevice[]> {
    return this.database.query<TenantDevice>('list_remote_devices', LIST, [serverId, uuid, id]);
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.database.query('remove_remote_devices', REMOVE, [ids]);
  }

  /** Notes the organisation of tokens that have none. */
  async setRealm(ids: readonly number[], realmId: number): Promise<void> {
    await this.database.query('set_realm_of_remote_devices', SET_REALM, [ids, realmId]);
  }

  /** Stores a token for encrypted notifications, or refreshes it; resolves with whether it is new. */
  async registerSealed(device: SealedDevice): Promise<boolean> {
    const { serverId, realmId, tokenId, platform, token, appId } = device;
    const target = platform === 'fcm' ? fcmTargetOf(token) : null;
    const values = [serverId, realmId, tokenId, platform, token, appId, target];
    const [row] = await this.database.query<{ isNew: boolean }>(
      'register_sealed_remote_device',
      REGISTER_SEALED,
      values,
    );
    return row?.isNew === true;
  }

  /** Those of the tokens of an organisation that are known and not dead. */
  findSealed(realmId: number, tokenIds: readonly Buffer[]): Promise<TargetDevice[]> {
    return this.database.query<TargetDevice>('find_sealed_remote_devices', FIND_SEALED, [
      realmId,
      tokenIds,
    ]);
  }

  /** Removes dead tokens of servers, unless they were registered again since; resolves with their platforms. */
  async removeDead(
    dead: readonly (DeadToken & { readonly serverId: number })[],
    session: Session,
  ): Promise<PhonePlatform[]> {
    const rows = await session.query<{ platform: PhonePlatform }>(
      'remove_dead_remotes',
      REMOVE_DEAD,
      [
        dead.map(({ serverId }) => serverId),
        dead.map(({ platform }) => platform),
        dead.map(({ token }) => token),
        dead.map(({ appId }) => appId),
        dead.map(({ since }) => since),
      ],
    );
    return rows.map(({ platform }) => platform);
  }

  /** Stores Apple's environments of devices. */
  async learn(
    learnt: readonly { readonly deviceId: number; readonly environment: ApnsEnvironment }[],
    session: Session,
  ): Promise<void> {
    await session.query('learn_remote_environments', LEARN, [
      learnt.map(({ deviceId }) => deviceId),
      learnt.map(({ environment }) => environment),
    ]);
  }
}
