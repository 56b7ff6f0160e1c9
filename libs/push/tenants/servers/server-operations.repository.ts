import { Injectable } from '@nestjs/common';
import { normalizedHost } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { OperatorActions } from '#platform/operator-actions';
import type { Stop } from '../realms/push-status.rules.js';

/** The decision of an operator to stop a server or an organisation from some time on, or to start it again. */
export interface StopChange {
  /** `now` is the time of PostgreSQL, whose clock also dates notifications. Null ends the stop. */
  readonly from: Date | 'now' | null;
  /** The reason in the response to the server. */
  readonly reason: string | null;
}

/** A server, as operators see it. */
export interface ServerOverview extends Stop {
  readonly id: number;
  readonly uuid: string;
  readonly hostname: string;
  readonly contactEmail: string;
  readonly version: string | null;
  readonly createdAt: Date;
  readonly seenAt: Date | null;
  readonly deactivatedAt: Date | null;
  readonly requestLimit: number | null;
  readonly pushLimit: number | null;
  readonly deviceLimit: number | null;
  readonly realms: number;
  readonly devices: number;
}

/** The limits of one server; null where the configured one holds. */
type ServerLimits = Pick<ServerOverview, 'requestLimit' | 'pushLimit' | 'deviceLimit'>;

/** An organisation of a server, as operators see it. */
export interface RealmOverview extends Stop {
  readonly uuid: string;
  readonly host: string;
  readonly name: string;
  readonly isDeactivated: boolean;
  readonly locallyDeletedAt: Date | null;
  readonly devices: number;
}

/** Deliveries of a server in the last day. */
export interface StateCount {
  readonly platform: string;
  readonly state: string;
  readonly deliveries: number;
}

const SERVERS = `
  SELECT id, uuid, hostname, contact_email AS "contactEmail", version, created_at AS "createdAt",
    seen_at AS "seenAt", deactivated_at AS "deactivatedAt", stopped_from AS "stoppedFrom",
    stop_reason AS "stopReason", request_limit AS "requestLimit", push_limit AS "pushLimit",
    device_limit AS "deviceLimit",
    (
      SELECT count(*)::int FROM remote_realms realm
      WHERE realm.server_id = server.id AND realm.locally_deleted_at IS NULL
    ) AS realms,
    (
      SELECT count(*)::int FROM remote_devices device
      WHERE device.server_id = server.id AND device.expired_at IS NULL
    ) AS devices
  FROM remote_servers server`;

const LIST = `
  ${SERVERS} WHERE starts_with(hostname, $2)
  ORDER BY deactivated_at IS NOT NULL, coalesce(seen_at, created_at) DESC, id DESC LIMIT $1`;

const FIND = `
  ${SERVERS} WHERE uuid::text = $1 OR (hostname = $1 AND deactivated_at IS NULL) LIMIT 1`;

const REALMS = `
  SELECT uuid, host, name, is_deactivated AS "isDeactivated",
    locally_deleted_at AS "locallyDeletedAt", stopped_from AS "stoppedFrom",
    stop_reason AS "stopReason",
    (
      SELECT count(*)::int FROM remote_devices device
      WHERE device.realm_id = realm.id AND device.expired_at IS NULL
    ) AS devices
  FROM remote_realms realm WHERE server_id = $1 ORDER BY id LIMIT $2`;

const COUNTS = `
  SELECT platform, state, count(*)::int AS deliveries FROM remote_deliveries
  WHERE server_id = $1 AND accepted_at > now() - interval '1 day'
  GROUP BY platform, state ORDER BY platform, state`;

const SET_LIMITS = `
  UPDATE remote_servers SET request_limit = $2, push_limit = $3, device_limit = $4 WHERE id = $1`;

// PostgreSQL reads the text `now` as the start of the transaction.
const STOP_SERVER = `
  UPDATE remote_servers SET stopped_from = $2, stop_reason = $3 WHERE id = $1
  RETURNING id, stopped_from AS "stoppedFrom", stop_reason AS "stopReason"`;

const STOP_REALM = `
  UPDATE remote_realms SET stopped_from = $2, stop_reason = $3 WHERE uuid::text = $1
  RETURNING id, stopped_from AS "stoppedFrom", stop_reason AS "stopReason"`;

const MAX_REALMS = 1000;

/** The operations on remote servers. Changes are recorded. */
@Injectable()
export class ServerOperationsRepository {
  constructor(
    private readonly database: Database,
    private readonly actions: OperatorActions,
  ) {}

  /** The servers whose hosts begin with a text: active ones before deactivated ones, the last seen first. */
  list(limit: number, hostPrefix = ''): Promise<ServerOverview[]> {
    const values = [limit, hostPrefix.toLowerCase()];
    return this.database.query<ServerOverview>('list_remote_servers', LIST, values);
  }

  /** By the id or the host of a server; null for an unknown one. */
  async find(name: string): Promise<ServerOverview | null> {
    const [row] = await this.database.query<ServerOverview>('find_server_overview', FIND, [
      normalizedHost(name) ?? name,
    ]);
    return row ?? null;
  }

  realmsOf({ id }: ServerOverview): Promise<RealmOverview[]> {
    return this.database.query<RealmOverview>('realms_of_server', REALMS, [id, MAX_REALMS]);
  }

  countsOf({ id }: ServerOverview): Promise<StateCount[]> {
    return this.database.query<StateCount>('counts_of_server', COUNTS, [id]);
  }

  /** Null stands for the configured limit. */
  async setLimits(
    { id, hostname }: ServerOverview,
    { requestLimit, pushLimit, deviceLimit }: ServerLimits,
  ): Promise<void> {
    const values = [id, requestLimit, pushLimit, deviceLimit];
    const details = { requestLimit, pushLimit, deviceLimit };
    await this.database.transaction(async (transaction) => {
      await transaction.query('limit_remote_server', SET_LIMITS, values);
      await this.actions.record(
        { action: 'servers.limit', target: hostname, details },
        transaction,
      );
    });
  }

  /** Sets the end of the permission to notify, or permits it again. */
  async stop({ id, hostname }: ServerOverview, { from, reason }: StopChange): Promise<void> {
    const values = [id, from, reason];
    await this.database.transaction(async (transaction) => {
      const [row] = await transaction.query<Stop>('stop_remote_server', STOP_SERVER, values);
      if (row !== undefined) await this.#recordStop(transaction, 'servers', hostname, row);
    });
  }

  /** The same for an organisation; resolves with the id of its row, and with null for an unknown one. */
  stopRealm(uuid: string, { from, reason }: StopChange): Promise<number | null> {
    const values = [uuid.toLowerCase(), from, reason];
    return this.database.transaction(async (transaction) => {
      const [realm] = await transaction.query<Stop & { readonly id: number }>(
        'stop_remote_realm',
        STOP_REALM,
        values,
      );
      if (realm === undefined) return null;
      await this.#recordStop(transaction, 'server-organisations', uuid, realm);
      return realm.id;
    });
  }

  #recordStop(
    transaction: Transaction,
    kind: string,
    target: string,
    { stoppedFrom, stopReason }: Stop,
  ): Promise<void> {
    const action =
      stoppedFrom === null
        ? { action: `${kind}.start`, target }
        : { action: `${kind}.stop`, target, details: { from: stoppedFrom, reason: stopReason } };
    return this.actions.record(action, transaction);
  }
}
