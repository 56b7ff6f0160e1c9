import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import type { AccountTokens } from './client-device.repository.js';

/** A registration that waits for the answer of the push service. */
export interface TokenRequest {
  readonly deviceId: number;
  readonly tokenId: Buffer;
  readonly servicePublicKey: string;
  readonly sealed: string;
  /** Whether the token is registered already. */
  readonly isRefresh: boolean;
  readonly requestedAt: Date;
}

/** The same, with the account of its device and the number of attempts made. */
export interface PendingTokenRequest extends TokenRequest {
  readonly realmId: number;
  readonly userId: number;
  readonly attempts: number;
}

const PUT = `
  INSERT INTO push_token_requests (
    device_id, token_id, service_public_key, sealed, is_refresh, requested_at, due_at
  )
  VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
  ON CONFLICT (device_id) DO UPDATE
  SET token_id = excluded.token_id, service_public_key = excluded.service_public_key,
    sealed = excluded.sealed, is_refresh = excluded.is_refresh,
    requested_at = excluded.requested_at, due_at = excluded.due_at, attempts = 0`;

const FIND = `
  SELECT request.device_id AS "deviceId", request.token_id AS "tokenId",
    request.service_public_key AS "servicePublicKey", request.sealed,
    request.is_refresh AS "isRefresh", request.requested_at AS "requestedAt", request.attempts,
    device.realm_id AS "realmId", device.user_id AS "userId"
  FROM push_token_requests request JOIN client_devices device ON device.id = request.device_id
  WHERE request.device_id = $1`;

const REMOVE = `
  DELETE FROM push_token_requests WHERE device_id = $1 AND requested_at = $2 RETURNING device_id`;

const REMOVE_OF = `
  DELETE FROM push_token_requests request USING client_devices device
  WHERE device.id = request.device_id AND device.user_id = $1 AND request.token_id = ANY($2::bytea[])
    AND device.id IS DISTINCT FROM $3::int
  RETURNING device.id`;

const POSTPONE = `
  UPDATE push_token_requests
  SET attempts = least(attempts + 1, 1000), due_at = now() + make_interval(secs => $3)
  WHERE device_id = $1 AND requested_at = $2`;

// The due time moves, so that the next page has other rows, and a lost job is added again later.
const TAKE_DUE = `
  UPDATE push_token_requests SET due_at = now() + make_interval(secs => $2)
  WHERE device_id IN (
    SELECT device_id FROM push_token_requests WHERE due_at < now()
    ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
  )
  RETURNING device_id AS "deviceId", requested_at AS "requestedAt"`;

/** Stores the registrations that wait for the push service, so that no restart loses one. Durations are in milliseconds. */
@Injectable()
export class TokenRequestRepository {
  constructor(private readonly database: Database) {}

  /** Replaces an earlier request of the device. After `graceMs` its job counts as lost. */
  async put(transaction: Transaction, request: TokenRequest, graceMs: number): Promise<void> {
    await transaction.query('put_token_request', PUT, [
      request.deviceId,
      request.tokenId,
      request.servicePublicKey,
      request.sealed,
      request.isRefresh,
      request.requestedAt,
      graceMs / 1000,
    ]);
  }

  async find(deviceId: number): Promise<PendingTokenRequest | null> {
    const [row] = await this.database.query<PendingTokenRequest>('find_token_request', FIND, [
      deviceId,
    ]);
    return row ?? null;
  }

  /** False if the request was answered or replaced meanwhile, or its device was removed. */
  async remove(
    transaction: Transaction,
    { deviceId, requestedAt }: Pick<TokenRequest, 'deviceId' | 'requestedAt'>,
  ): Promise<boolean> {
    const values = [deviceId, requestedAt];
    return (await transaction.query('remove_token_request', REMOVE, values)).length > 0;
  }

  /** Removes the requests of the other devices of an account for a token; resolves with the ids of the devices. */
  async removeOf(
    transaction: Transaction,
    { userId, tokenIds, deviceId }: AccountTokens,
  ): Promise<number[]> {
    const values = [userId, tokenIds, deviceId ?? null];
    const name = 'remove_token_requests_of_account';
    const rows = await transaction.query<{ id: number }>(name, REMOVE_OF, values);
    return rows.map(({ id }) => id);
  }

  /** Counts an attempt; the next one is after `delayMs`. */
  async postpone(
    { deviceId, requestedAt }: Pick<TokenRequest, 'deviceId' | 'requestedAt'>,
    delayMs: number,
  ): Promise<void> {
    const values = [deviceId, requestedAt, delayMs / 1000];
    await this.database.query('postpone_token_request', POSTPONE, values);
  }

  /** Takes up to `limit` requests that are due; they are due again after `leaseMs`. */
  async takeDue(
    limit: number,
    leaseMs: number,
  ): Promise<Pick<TokenRequest, 'deviceId' | 'requestedAt'>[]> {
    return this.database.query('take_due_token_requests', TAKE_DUE, [limit, leaseMs / 1000]);
  }
}
