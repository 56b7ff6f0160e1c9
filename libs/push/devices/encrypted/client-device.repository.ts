import { Injectable } from '@nestjs/common';
import type { AccountKey, RealmAccount } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import { Database, queryRow, type Session, type Transaction } from '#platform/database';
import type { RegisteredToken } from '#push/tokens';

/** The account of a client device, with the generation of the API key that signed in. */
export interface SignedInAccount extends RealmAccount, AccountKey {}

/** A client device as it is stored. */
export interface ClientDevice {
  readonly id: number;
  /** 0 to 2^32 - 1. */
  readonly pushKeyId: number | null;
  readonly pushKeySealed: Buffer | null;
  readonly tokenId: Buffer | null;
  readonly platform: PhonePlatform | null;
  readonly pendingTokenId: Buffer | null;
  readonly pendingPlatform: PhonePlatform | null;
  readonly tokenUpdatedAt: Date | null;
  readonly errorCode: string | null;
}

/** A token to take from devices; those that have registered it after `since` keep it. */
export interface ClearedToken extends RegisteredToken {
  readonly since?: Date;
}

/** Spellings of a token that a device of an account registers. */
export interface AccountTokens extends RealmAccount {
  readonly tokenIds: readonly Buffer[];
  /** The registering device; left out for one that gets plain text. */
  readonly deviceId?: number;
}

/** A device that notifications can be sent to. */
export interface ActiveDevice {
  readonly platform: PhonePlatform;
  readonly tokenId: Buffer;
  readonly pushKeyId: number;
  readonly pushKeySealed: Buffer;
}

/** A removed device. */
export interface RemovedDevice extends RealmAccount {
  readonly id: number;
  /** The registered and the pending one, where there are any. */
  readonly tokenIds: readonly Buffer[];
}

const COLUMNS = `
  device.id, device.push_key_id AS "pushKeyId", device.push_key_sealed AS "pushKeySealed",
  device.push_token_id AS "tokenId", device.platform, device.pending_token_id AS "pendingTokenId",
  device.pending_platform AS "pendingPlatform", device.token_updated_at AS "tokenUpdatedAt",
  device.error_code AS "errorCode"`;

const REMOVED = `
  device.id, device.user_id AS "userId", device.realm_id AS "realmId",
  array_remove(ARRAY[device.push_token_id, device.pending_token_id], NULL) AS "tokenIds"`;

// The lock serialises new devices of the account, and a new device with a new API key.
const LOCK_ACCOUNT = `
  SELECT id FROM users WHERE id = $1 AND key_generation = $2 AND is_active FOR NO KEY UPDATE`;

const COUNT = `SELECT count(*)::int AS count FROM client_devices WHERE user_id = $1`;

const REMOVE_OLDEST_UNUSED = `
  DELETE FROM client_devices device WHERE device.id = (
    SELECT id FROM client_devices
    WHERE user_id = $1
      AND (key_generation < $2 OR push_token_id IS NULL AND pending_token_id IS NULL)
    ORDER BY id LIMIT 1
  )
  RETURNING ${REMOVED}`;

const ADD = `
  INSERT INTO client_devices (realm_id, user_id, key_generation) VALUES ($1, $2, $3) RETURNING id`;

// The account is locked first, as everywhere: a new API key waits, or removes the device before, and registrations of the
// account take turns.
const LOCK_OWN = `
  WITH account AS MATERIALIZED (
    SELECT id FROM users WHERE id = $2 AND key_generation = $3 AND is_active FOR NO KEY UPDATE
  )
  SELECT ${COLUMNS}
  FROM account JOIN client_devices device ON device.user_id = account.id
  WHERE device.id = $1 AND device.key_generation = $3
  FOR UPDATE OF device`;

const LOCK = `
  WITH account AS MATERIALIZED (SELECT id FROM users WHERE id = $2 FOR NO KEY UPDATE)
  SELECT ${COLUMNS}
  FROM account JOIN client_devices device ON device.user_id = account.id
  WHERE device.id = $1
  FOR UPDATE OF device`;

// Devices of older keys are invalid until a job removes them.
const LIST = `
  SELECT ${COLUMNS}
  FROM client_devices device JOIN users account ON account.id = device.user_id
  WHERE device.user_id = $1 AND device.key_generation = account.key_generation
  ORDER BY device.id`;

const LIST_ACTIVE = `
  SELECT device.platform, device.push_token_id AS "tokenId", device.push_key_id AS "pushKeyId",
    device.push_key_sealed AS "pushKeySealed"
  FROM client_devices device
  WHERE device.user_id = $1 AND device.key_generation = $2 AND ($3::int IS NULL OR device.id = $3)
    AND device.push_token_id IS NOT NULL AND device.push_key_sealed IS NOT NULL
  ORDER BY device.id`;

const SET = `
  UPDATE client_devices
  SET push_key_id = $2, push_key_sealed = $3, push_token_id = $4, platform = $5,
    pending_token_id = $6, pending_platform = $7, token_updated_at = $8, error_code = $9
  WHERE id = $1`;

const REMOVE_OWN = `
  DELETE FROM client_devices device
  WHERE device.id = $1 AND device.user_id = $2 AND device.key_generation = $3
  RETURNING ${REMOVED}`;

const REMOVE_CHOSEN = `
  DELETE FROM client_devices device
  WHERE device.user_id = $1 AND ($2::int[] IS NULL OR device.id = ANY($2))
  RETURNING ${REMOVED}`;

const REMOVE_OLDER = `
  DELETE FROM client_devices device WHERE device.user_id = $1 AND device.key_generation < $2
  RETURNING ${REMOVED}`;

const END_PENDING = `
  UPDATE client_devices SET pending_token_id = NULL, pending_platform = NULL
  WHERE user_id = $1 AND id = ANY($2) AND pending_token_id = ANY($3::bytea[])
  RETURNING id`;

const TAKE_TOKENS = `
  UPDATE client_devices SET push_token_id = NULL, platform = NULL
  WHERE user_id = $1 AND push_token_id = ANY($2::bytea[]) AND id IS DISTINCT FROM $3::int
  RETURNING id`;

const CLEAR_TOKENS = `
  UPDATE client_devices device SET push_token_id = NULL, platform = NULL
  FROM unnest($1::int[], $2::bytea[], $3::timestamptz[]) AS gone (realm_id, token_id, since)
  WHERE device.realm_id = gone.realm_id AND device.push_token_id = gone.token_id
    AND (gone.since IS NULL OR device.token_updated_at <= gone.since)
  RETURNING device.id, device.user_id AS "userId", device.realm_id AS "realmId"`;

/** Stores the client devices of accounts. */
@Injectable()
export class ClientDeviceRepository {
  constructor(private readonly database: Database) {}

  /** Locks the account; false if the key of the sign-in was replaced or the account is deactivated. */
  async lockAccount(
    transaction: Transaction,
    { userId, keyGeneration }: SignedInAccount,
  ): Promise<boolean> {
    const values = [userId, keyGeneration];
    return (await transaction.query('lock_device_account', LOCK_ACCOUNT, values)).length > 0;
  }

  async count(transaction: Transaction, userId: number): Promise<number> {
    const [row] = await transaction.query<{ count: number }>('count_client_devices', COUNT, [
      userId,
    ]);
    return row?.count ?? 0;
  }

  /** Null if each device of the account is of its present API key, and has a token or a pending registration. */
  async removeOldestUnused(
    transaction: Transaction,
    { userId, keyGeneration }: SignedInAccount,
  ): Promise<RemovedDevice | null> {
    const [removed] = await transaction.query<RemovedDevice>(
      'remove_oldest_client_device',
      REMOVE_OLDEST_UNUSED,
      [userId, keyGeneration],
    );
    return removed ?? null;
  }

  /** Resolves with the id of the new device. */
  async add(
    transaction: Transaction,
    { realmId, userId, keyGeneration }: SignedInAccount,
  ): Promise<number> {
    const values = [realmId, userId, keyGeneration];
    const { id } = await queryRow<{ id: number }>(transaction, 'add_client_device', ADD, values);
    return id;
  }

  /** Locks the account too. Null for a device of another account or of another API key, and if that key was replaced. */
  async lockOwn(
    transaction: Transaction,
    { userId, keyGeneration }: SignedInAccount,
    deviceId: number,
  ): Promise<ClientDevice | null> {
    const [row] = await transaction.query<ClientDevice>('lock_own_client_device', LOCK_OWN, [
      deviceId,
      userId,
      keyGeneration,
    ]);
    return row ?? null;
  }

  /** The same for any API key. Null for a device of another account. */
  async lock(
    transaction: Transaction,
    { userId }: Pick<RealmAccount, 'userId'>,
    deviceId: number,
  ): Promise<ClientDevice | null> {
    const values = [deviceId, userId];
    const [row] = await transaction.query<ClientDevice>('lock_client_device', LOCK, values);
    return row ?? null;
  }

  /** The devices of the present API key of an account, by ascending id. */
  async list(userId: number, session: Session): Promise<ClientDevice[]> {
    return session.query<ClientDevice>('list_client_devices', LIST, [userId]);
  }

  /** One or all devices of an account that have a token, by ascending id. */
  async listActive(
    { userId, keyGeneration }: AccountKey,
    deviceId: number | null,
  ): Promise<ActiveDevice[]> {
    const values = [userId, keyGeneration, deviceId];
    return this.database.query<ActiveDevice>('list_active_client_devices', LIST_ACTIVE, values);
  }

  /** Replaces all columns of a device. */
  async set(transaction: Transaction, device: ClientDevice): Promise<void> {
    await transaction.query('set_client_device', SET, [
      device.id,
      device.pushKeyId,
      device.pushKeySealed,
      device.tokenId,
      device.platform,
      device.pendingTokenId,
      device.pendingPlatform,
      device.tokenUpdatedAt,
      device.errorCode,
    ]);
  }

  /** Null if the account has no such device of this API key. */
  async removeOwn(
    transaction: Transaction,
    { userId, keyGeneration }: SignedInAccount,
    deviceId: number,
  ): Promise<RemovedDevice | null> {
    const [removed] = await transaction.query<RemovedDevice>(
      'remove_own_client_device',
      REMOVE_OWN,
      [deviceId, userId, keyGeneration],
    );
    return removed ?? null;
  }

  /** Removes those of the devices that are the account's, or all of them. */
  removeChosen(
    transaction: Transaction,
    userId: number,
    ids: readonly number[] | null,
  ): Promise<RemovedDevice[]> {
    return transaction.query('remove_chosen_client_devices', REMOVE_CHOSEN, [userId, ids]);
  }

  /** Removes the devices of API keys of the account before this generation. */
  removeOlder(
    transaction: Transaction,
    userId: number,
    keyGeneration: number,
  ): Promise<RemovedDevice[]> {
    return transaction.query('remove_older_client_devices', REMOVE_OLDER, [userId, keyGeneration]);
  }

  /** Ends the pending registrations of a token by some devices of its account; resolves with the ids of the devices. */
  async endPending(
    transaction: Transaction,
    { userId, tokenIds }: AccountTokens,
    deviceIds: readonly number[],
  ): Promise<number[]> {
    const values = [userId, deviceIds, tokenIds];
    const rows = await transaction.query<{ id: number }>(
      'end_pending_registrations',
      END_PENDING,
      values,
    );
    return rows.map(({ id }) => id);
  }

  /** Takes a token from the other devices of its account; resolves with their ids. */
  async takeTokens(
    transaction: Transaction,
    { userId, tokenIds, deviceId }: AccountTokens,
  ): Promise<number[]> {
    const values = [userId, tokenIds, deviceId ?? null];
    const rows = await transaction.query<{ id: number }>('take_tokens', TAKE_TOKENS, values);
    return rows.map(({ id }) => id);
  }

  /** Takes tokens from all devices of their organisations; resolves with the devices. */
  clearTokens(
    transaction: Transaction,
    tokens: readonly ClearedToken[],
  ): Promise<(RealmAccount & { readonly id: number })[]> {
    return transaction.query('clear_client_device_tokens', CLEAR_TOKENS, [
      tokens.map(({ realmId }) => realmId),
      tokens.map(({ tokenId }) => tokenId),
      tokens.map(({ since }) => since ?? null),
    ]);
  }
}
