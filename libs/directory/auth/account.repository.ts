import { Injectable } from '@nestjs/common';
import type { Caller } from '#platform/contracts';
import { Database, type Session, type Transaction } from '#platform/database';

/**
 * The data of an account that a sign-in needs, read in one statement. Gateways keep many of them, so it has no buffers: a
 * small buffer is a part of a page of 8 kB, which it keeps in memory.
 */
export interface Account extends Caller {
  readonly authVersion: number;
  readonly isActive: boolean;
  readonly isRealmDeactivated: boolean;
}

type AccountRow = Omit<Account, 'joinedAt' | 'realm'> & {
  readonly dateJoined: Date;
  readonly realmId: number;
  readonly subdomain: string;
  readonly isPresenceDisabled: boolean;
};

const FIND = `
  SELECT u.id AS "userId", u.delivery_email AS "deliveryEmail", u.role, u.is_bot AS "isBot",
    u.is_presence_enabled AS "isPresenceEnabled", u.date_joined AS "dateJoined",
    u.key_generation AS "keyGeneration", u.auth_version AS "authVersion",
    u.is_active AS "isActive", u.realm_id AS "realmId",
    r.subdomain, r.is_presence_disabled AS "isPresenceDisabled",
    r.deactivated_at IS NOT NULL AS "isRealmDeactivated"
  FROM users u JOIN realms r ON r.id = u.realm_id`;

const FIND_BY_KEY = `${FIND} WHERE u.api_key_hash = $1`;

const FIND_ACTOR = `${FIND} WHERE u.id = $1 AND r.deactivated_at IS NULL`;

const FIND_ACTIVE = `${FIND_ACTOR} AND u.is_active`;

const FIND_BOT = `
  SELECT id AS "userId", bot_owner_id AS "ownerId", role, api_key_hash AS "apiKeyHash",
    api_key_sealed AS "apiKeySealed"
  FROM users WHERE realm_id = $1 AND id = $2 AND is_bot AND is_active`;

/** Prisma compares case-insensitively with ILIKE, so a typed `%` would match every address. */
const FIND_FOR_PASSWORD = `
  SELECT id AS "userId", delivery_email AS "deliveryEmail", password_hash AS "passwordHash",
    api_key_hash AS "apiKeyHash", api_key_sealed AS "apiKeySealed", is_active AS "isActive",
    awaits_sign_in AS "awaitsSignIn"
  FROM users
  WHERE realm_id = $1 AND lower(delivery_email) = lower($2) AND NOT is_bot`;

/**
 * Replaces the key and adds the outbox entry that logs out the devices of the old key. A given `key_generation` must be the
 * present one, so only one of several concurrent replacements with one key succeeds.
 */
const REPLACE_KEY = `
  WITH changed AS (
    UPDATE users
    SET api_key_hash = $3, api_key_sealed = $4, updated_at = now(),
        key_generation = key_generation + 1, auth_version = auth_version + 1
    WHERE id = $1 AND ($2::int IS NULL OR key_generation = $2) AND is_active
    RETURNING id, key_generation, auth_version
  ), outbox_entry AS (
    INSERT INTO outbox (topic, payload)
    SELECT 'account.logout', jsonb_build_object('userId', id, 'keyGeneration', key_generation)
    FROM changed
    RETURNING id
  )
  SELECT changed.key_generation AS "keyGeneration", changed.auth_version AS "authVersion",
    outbox_entry.id::text AS "outboxId"
  FROM changed, outbox_entry`;

const REPLACE_PASSWORD = `
  UPDATE users SET password_hash = $2, updated_at = now() WHERE id = $1 AND NOT is_bot`;

/** The result of a replaced key: its generation, the authentication version, and the entry for the logout. */
export interface KeyReplacement {
  readonly keyGeneration: number;
  readonly authVersion: number;
  readonly outboxId: string;
}

/** The data of an account that a sign-in by password needs. */
export interface PasswordAccount {
  readonly userId: number;
  readonly deliveryEmail: string;
  readonly passwordHash: string | null;
  readonly apiKeyHash: Uint8Array;
  readonly apiKeySealed: Uint8Array;
  readonly isActive: boolean;
  /** Whether it has never been signed in to by its password. */
  readonly awaitsSignIn: boolean;
}

/** The key of a bot. */
interface BotKey extends Pick<PasswordAccount, 'userId' | 'apiKeyHash' | 'apiKeySealed'> {
  readonly ownerId: number | null;
  readonly role: number;
}

/** An account and its new authentication version: cached sign-ins of older versions are invalid. */
export interface AccountVersion {
  readonly userId: number;
  readonly version: number;
}

const BUMP_VERSIONS = `
  WITH changed AS (
    UPDATE users SET auth_version = auth_version + 1, updated_at = now()
    WHERE id = ANY($1)
    RETURNING id, key_generation, auth_version
  ), outbox_entry AS (
    INSERT INTO outbox (topic, payload)
    SELECT 'account.logout', jsonb_build_object('userId', id, 'keyGeneration', key_generation)
    FROM changed
  )
  SELECT id AS "userId", auth_version AS version FROM changed`;

/** The rows of accounts, as far as sign-ins and keys need them. */
@Injectable()
export class AccountRepository {
  constructor(private readonly database: Database) {}

  /** The account of an API key; null for an unknown one. */
  async findByKeyHash(apiKeyHash: Buffer): Promise<Account | null> {
    const [row] = await this.database.query<AccountRow>('account_by_key', FIND_BY_KEY, [
      apiKeyHash,
    ]);
    return row === undefined ? null : toAccount(row);
  }

  /** An account on whose behalf the server acts; null for an unknown or deactivated one. */
  async findActive(userId: number): Promise<Caller | null> {
    const [row] = await this.database.query<AccountRow>('active_account', FIND_ACTIVE, [userId]);
    return row === undefined ? null : toAccount(row);
  }

  /** The account that has made a change, also if it was deactivated since; null in a deactivated organisation. */
  async findActor(userId: number): Promise<Caller | null> {
    const [row] = await this.database.query<AccountRow>('actor_account', FIND_ACTOR, [userId]);
    return row === undefined ? null : toAccount(row);
  }

  /** An active bot with its sealed key; null for an unknown one. */
  async findBot(realmId: number, botId: number): Promise<BotKey | null> {
    const [row] = await this.database.query<BotKey>('bot_key', FIND_BOT, [realmId, botId]);
    return row ?? null;
  }

  /** The account with an email address, which is not a bot; null for an unknown one. */
  async findForPassword(realmId: number, email: string): Promise<PasswordAccount | null> {
    const [row] = await this.database.query<PasswordAccount>(
      'account_for_password',
      FIND_FOR_PASSWORD,
      [realmId, email],
    );
    return row ?? null;
  }

  /**
   * Replaces the key of an account. Null when the key was replaced since `keyGeneration` (null: whichever it is), or the account
   * is deactivated.
   */
  async replaceKey(
    userId: number,
    keyGeneration: number | null,
    next: { readonly hash: Buffer; readonly sealed: Buffer },
    session: Session,
  ): Promise<KeyReplacement | null> {
    const values = [userId, keyGeneration, next.hash, next.sealed];
    const [row] = await session.query<KeyReplacement>('replace_key', REPLACE_KEY, values);
    return row ?? null;
  }

  /**
   * Replaces the password of a person, who may have had none. Its API key stays valid, and no cached sign-in depends on the
   * password.
   */
  async replacePassword(
    transaction: Transaction,
    userId: number,
    passwordHash: string,
  ): Promise<void> {
    await transaction.query('replace_password', REPLACE_PASSWORD, [userId, passwordHash]);
  }

  /** The current authentication version; null for an unknown account. */
  async authVersionOf(userId: number): Promise<number | null> {
    const user = await this.database.prisma.user.findUnique({
      where: { id: userId },
      select: { authVersion: true },
    });
    return user?.authVersion ?? null;
  }
}

const toAccount = (row: AccountRow): Account => {
  const { dateJoined, realmId, subdomain, isPresenceDisabled, ...account } = row;
  return {
    joinedAt: Math.floor(dateJoined.getTime() / 1000),
    realm: { id: realmId, subdomain, isPresenceDisabled },
    ...account,
  };
};

/**
 * Invalidates the cached sign-ins of accounts in the transaction that changes the accounts. After the commit, raise
 * the versions in AuthVersionStore, so that all gateways see the change. If that fails, the outbox entry retries it.
 * Devices registered with the current key keep working, unless the account is deactivated.
 */
export function bumpAuthVersions(
  transaction: Transaction,
  userIds: readonly number[],
): Promise<AccountVersion[]> {
  return transaction.query<AccountVersion>('bump_auth_versions', BUMP_VERSIONS, [userIds]);
}
