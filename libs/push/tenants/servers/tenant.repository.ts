import { hash, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RemoteCaller } from '#platform/contracts';
import { errorCode } from '#platform/core';
import { Database } from '#platform/database';
import type { CurrentStop } from '../realms/push-status.rules.js';

/** A server at its sign-in. */
export interface Tenant extends RemoteCaller, CurrentStop {
  readonly uuid: string;
  readonly keyHash: Buffer;
  readonly hostname: string;
  readonly isDeactivated: boolean;
  /** Whether it has ever reported its feature level. */
  readonly hasReported: boolean;
  /** Requests a minute, pushes a second and tokens, where they differ from the configured ones. */
  readonly requestLimit: number | null;
  readonly pushLimit: number | null;
  readonly deviceLimit: number | null;
  readonly wasSeenLately: boolean;
}

/** A registration. */
interface NewTenant {
  readonly uuid: string;
  readonly key: string;
  readonly hostname: string;
  readonly contactEmail: string;
}

const UNIQUE_VIOLATION = '23505';

const COLUMNS = `
  id AS "serverId", uuid, key_hash AS "keyHash", hostname,
  deactivated_at IS NOT NULL AS "isDeactivated", feature_level IS NOT NULL AS "hasReported",
  stopped_from AS "stoppedFrom", stop_reason AS "stopReason",
  coalesce(stopped_from <= now(), false) AS "isStopped",
  request_limit AS "requestLimit", push_limit AS "pushLimit", device_limit AS "deviceLimit",
  coalesce(seen_at > now() - interval '1 minute', false) AS "wasSeenLately"`;

const FIND = `SELECT ${COLUMNS} FROM remote_servers WHERE uuid = $1`;

const FIND_BY_HOSTNAME = `
  SELECT ${COLUMNS} FROM remote_servers WHERE hostname = $1 AND deactivated_at IS NULL`;

const SEEN = `UPDATE remote_servers SET seen_at = now() WHERE id = $1`;

const ADD = `
  INSERT INTO remote_servers (uuid, key_hash, hostname, contact_email, registered_from)
  VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id`;

const CHANGE = `
  UPDATE remote_servers SET hostname = $3, contact_email = $4, key_hash = $5
  WHERE id = $1 AND key_hash = $2 AND deactivated_at IS NULL RETURNING id`;

const SET_KEY = `
  UPDATE remote_servers SET key_hash = $2 WHERE id = $1 AND deactivated_at IS NULL RETURNING id`;

const DEACTIVATE = `
  UPDATE remote_servers SET deactivated_at = now() WHERE id = $1 AND deactivated_at IS NULL`;

/** The stored digest of the key of a server. Keys are long and random, so one round of a digest is enough. */
const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

/** Whether a key is that of the server; takes the same time for every key. */
export const isKeyOf = ({ keyHash }: Tenant, key: string): boolean =>
  timingSafeEqual(keyHash, hashOf(key));

/** Stores the servers of other installations. */
@Injectable()
export class TenantRepository {
  constructor(private readonly database: Database) {}

  /** Null for an unknown id, which must be a UUID. */
  async find(uuid: string): Promise<Tenant | null> {
    const [row] = await this.database.query<Tenant>('find_remote_server', FIND, [uuid]);
    return row ?? null;
  }

  /** The server of a host that is not deactivated. The host is in lower case. */
  async findByHostname(hostname: string): Promise<Tenant | null> {
    const [row] = await this.database.query<Tenant>(
      'find_remote_server_by_hostname',
      FIND_BY_HOSTNAME,
      [hostname],
    );
    return row ?? null;
  }

  /** Notes the time of a sign-in. */
  async seen({ serverId }: Tenant): Promise<void> {
    await this.database.query('remote_server_seen', SEEN, [serverId]);
  }

  /** False if the id or the host is taken. `network` is where the registration comes from. */
  async add({ uuid, key, hostname, contactEmail }: NewTenant, network: string): Promise<boolean> {
    const values = [uuid, hashOf(key), hostname, contactEmail, network];
    return (await this.database.query('add_remote_server', ADD, values)).length > 0;
  }

  /** `stale` when the server has changed since it was read; `taken` when another server has the host. */
  async change(
    server: Tenant,
    { key, hostname, contactEmail }: NewTenant,
  ): Promise<'changed' | 'stale' | 'taken'> {
    const values = [server.serverId, server.keyHash, hostname, contactEmail, hashOf(key)];
    try {
      const rows = await this.database.query('change_remote_server', CHANGE, values);
      return rows.length > 0 ? 'changed' : 'stale';
    } catch (error) {
      if (errorCode(error) === UNIQUE_VIOLATION) return 'taken';
      throw error;
    }
  }

  /** Replaces the key; false for a deactivated server. */
  async setKey({ serverId }: Tenant, key: string): Promise<boolean> {
    const rows = await this.database.query('set_remote_server_key', SET_KEY, [
      serverId,
      hashOf(key),
    ]);
    return rows.length > 0;
  }

  async deactivate(serverId: number): Promise<void> {
    await this.database.query('deactivate_remote_server', DEACTIVATE, [serverId]);
  }
}
