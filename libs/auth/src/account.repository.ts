import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { Database } from '#database';

/** What a sign-in needs to know of an account, read in one statement. */
export interface Account extends Caller {
  readonly apiKeyHash: Buffer;
  readonly authVersion: number;
  readonly isActive: boolean;
  readonly isRealmDeactivated: boolean;
}

interface AccountRow {
  id: number;
  delivery_email: string;
  role: number;
  is_bot: boolean;
  is_presence_enabled: boolean;
  date_joined: Date;
  key_generation: number;
  auth_version: number;
  is_active: boolean;
  api_key_hash: Buffer;
  realm_id: number;
  subdomain: string;
  realm_name: string;
  is_presence_disabled: boolean;
  deactivated_at: Date | null;
}

interface PasswordAccountRow {
  id: number;
  delivery_email: string;
  password_hash: string | null;
  api_key_hash: Buffer;
  api_key_sealed: Buffer;
  is_active: boolean;
}

const FIND_BY_KEY = `
  SELECT u.id, u.delivery_email, u.role, u.is_bot, u.is_presence_enabled, u.date_joined,
         u.key_generation, u.auth_version, u.is_active, u.api_key_hash, u.realm_id,
         r.subdomain, r.name AS realm_name, r.is_presence_disabled, r.deactivated_at
  FROM users u JOIN realms r ON r.id = u.realm_id
  WHERE u.api_key_hash = $1`;

/** Not by Prisma, whose comparison without case is ILIKE: there `%` in what was typed fits every address. */
const FIND_FOR_PASSWORD = `
  SELECT id, delivery_email, password_hash, api_key_hash, api_key_sealed, is_active
  FROM users
  WHERE realm_id = $1 AND lower(delivery_email) = lower($2) AND NOT is_bot`;

/**
 * One statement, so one transaction: the new key, and the promise to log out the devices of the old.
 * Only the key that signed in may be replaced: of two that replace it at the same time one succeeds.
 */
const REPLACE_KEY = `
  WITH changed AS (
    UPDATE users
    SET api_key_hash = $3, api_key_sealed = $4, updated_at = now(),
        key_generation = key_generation + 1, auth_version = auth_version + 1
    WHERE id = $1 AND key_generation = $2 AND is_active
    RETURNING id, key_generation, auth_version
  ), promised AS (
    INSERT INTO outbox (topic, payload)
    SELECT 'account.logout', jsonb_build_object('userId', id, 'keyGeneration', key_generation)
    FROM changed
    RETURNING id
  )
  SELECT changed.key_generation, changed.auth_version, promised.id::text AS outbox_id
  FROM changed, promised`;

export interface ReplacedKey {
  readonly keyGeneration: number;
  readonly authVersion: number;
  readonly outboxId: string;
}

/** What a sign-in by password needs to know. */
export interface PasswordAccount {
  readonly userId: number;
  readonly deliveryEmail: string;
  readonly passwordHash: string | null;
  readonly apiKeyHash: Uint8Array;
  readonly apiKeySealed: Uint8Array;
  readonly isActive: boolean;
}

@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  async findByKeyHash(apiKeyHash: Buffer): Promise<Account | null> {
    const [row] = await this.database.query<AccountRow>('account_by_key', FIND_BY_KEY, [
      apiKeyHash,
    ]);
    return row === undefined ? null : toAccount(row);
  }

  async findForPassword(realmId: number, email: string): Promise<PasswordAccount | null> {
    const [row] = await this.database.query<PasswordAccountRow>(
      'account_for_password',
      FIND_FOR_PASSWORD,
      [realmId, email],
    );
    if (row === undefined) return null;
    return {
      userId: row.id,
      deliveryEmail: row.delivery_email,
      passwordHash: row.password_hash,
      apiKeyHash: row.api_key_hash,
      apiKeySealed: row.api_key_sealed,
      isActive: row.is_active,
    };
  }

  /** Null when the account's key is no longer the one of that generation, or the account is off. */
  async replaceKey(
    userId: number,
    keyGeneration: number,
    next: { readonly hash: Buffer; readonly sealed: Buffer },
  ): Promise<ReplacedKey | null> {
    const [row] = await this.database.query<{
      key_generation: number;
      auth_version: number;
      outbox_id: string;
    }>('replace_key', REPLACE_KEY, [userId, keyGeneration, next.hash, next.sealed]);
    if (row === undefined) return null;
    return {
      keyGeneration: row.key_generation,
      authVersion: row.auth_version,
      outboxId: row.outbox_id,
    };
  }

  /** The account's version of now, or null when there is no such account. */
  async authVersionOf(userId: number): Promise<number | null> {
    const user = await this.database.prisma.user.findUnique({
      where: { id: userId },
      select: { authVersion: true },
    });
    return user?.authVersion ?? null;
  }
}

const toAccount = (row: AccountRow): Account => ({
  userId: row.id,
  deliveryEmail: row.delivery_email,
  role: row.role,
  isBot: row.is_bot,
  isPresenceEnabled: row.is_presence_enabled,
  joinedAt: Math.floor(row.date_joined.getTime() / 1000),
  keyGeneration: row.key_generation,
  realm: {
    id: row.realm_id,
    subdomain: row.subdomain,
    name: row.realm_name,
    isPresenceDisabled: row.is_presence_disabled,
  },
  apiKeyHash: row.api_key_hash,
  authVersion: row.auth_version,
  isActive: row.is_active,
  isRealmDeactivated: row.deactivated_at !== null,
});
