import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#platform/database';
import { isNameFree, lockNames } from '../full-name.repository.js';
import { type User, USER_COLUMNS } from '../user.repository.js';
import type { EmailPolicy } from './email-address.rules.js';

/** The requirements of an organisation for new accounts. */
export interface NewAccountPolicy {
  /** Null means the administrators. */
  readonly canCreateUsersGroupId: number | null;
  readonly requiresUniqueNames: boolean;
  readonly email: EmailPolicy;
}

/** A validated account to store. */
export interface NewAccount {
  readonly realmId: number;
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
  /** Null for people. */
  readonly botOwnerId: number | null;
  /** Null for an account that signs in only by its API key. */
  readonly passwordHash: string | null;
  readonly apiKeyHash: Buffer;
  readonly apiKeySealed: Buffer;
}

/** The account, or the reason why there is none. */
export type Created =
  { readonly user: User } | { readonly refusal: 'name' | 'email' | 'limit' | 'bot owner' };

const IS_EMAIL_TAKEN = `
  SELECT 1 FROM users WHERE realm_id = $1 AND lower(delivery_email) = lower($2)`;

const IS_ACTIVE = `SELECT FROM users WHERE id = $1 AND is_active`;

const IS_FULL = `SELECT FROM users WHERE realm_id = $1 OFFSET $2 - 1 LIMIT 1`;

// Of concurrent accounts with one address, only one is stored. The column rounds to milliseconds; a time that was rounded
// up would be after the transaction, and the account not yet a member of the groups that it joins.
const INSERT = `
  INSERT INTO users (realm_id, delivery_email, email, full_name, role, is_bot, bot_owner_id,
                     password_hash, api_key_hash, api_key_sealed, date_joined, awaits_sign_in)
  VALUES ($1, $2, $2, $3, $4, $5::int IS NOT NULL, $5, $6, $7, $8, date_trunc('milliseconds', now()),
          $6::text IS NOT NULL)
  ON CONFLICT (realm_id, lower(delivery_email)) DO NOTHING
  RETURNING ${USER_COLUMNS}`;

/** Checks and inserts new accounts. */
@Injectable()
export class NewAccountRepository {
  constructor(private readonly database: Database) {}

  /** The requirements of an organisation. Rejects with an Error for an unknown one. */
  async policyOf(realmId: number): Promise<NewAccountPolicy> {
    const realm = await this.database.prisma.realm.findUniqueOrThrow({
      where: { id: realmId },
      select: {
        canCreateUsersGroupId: true,
        requiresUniqueNames: true,
        refusesDisposableEmails: true,
        emailDomains: { select: { domain: true, allowsSubdomains: true } },
      },
    });
    const { canCreateUsersGroupId, requiresUniqueNames } = realm;
    const email = { domains: realm.emailDomains, refusesDisposable: realm.refusesDisposableEmails };
    return { canCreateUsersGroupId, requiresUniqueNames, email };
  }

  /** Whether no account of the organisation has the name, case-insensitively. */
  async isNameFree(realmId: number, fullName: string): Promise<boolean> {
    return isNameFree(this.database, { realmId, fullName });
  }

  /** Whether an account of the organisation has the sign-in address, case-insensitively. */
  async isEmailTaken(realmId: number, email: string): Promise<boolean> {
    const rows = await this.database.query('is_email_taken', IS_EMAIL_TAKEN, [realmId, email]);
    return rows.length > 0;
  }

  /**
   * Stores an account; a bot only if its owner is active. `limit` is the maximum number of accounts in an organisation,
   * including deactivated ones; null means no limit.
   */
  async create(
    transaction: Transaction,
    account: NewAccount,
    limit: number | null,
  ): Promise<Created> {
    const { requiresUniqueNames } = await lockNames(transaction, account.realmId);
    if (requiresUniqueNames && !(await isNameFree(transaction, account)))
      return { refusal: 'name' };
    if (limit !== null && (await isFull(transaction, account.realmId, limit))) {
      return { refusal: 'limit' };
    }
    const { botOwnerId } = account;
    if (botOwnerId !== null && !(await isActive(transaction, botOwnerId))) {
      return { refusal: 'bot owner' };
    }
    const user = await insert(transaction, account);
    return user === null ? { refusal: 'email' } : { user };
  }
}

/** Exact, because a deactivation holds the lock of `lockNames` too. */
async function isActive(transaction: Transaction, userId: number): Promise<boolean> {
  const rows = await transaction.query('is_bot_owner_active', IS_ACTIVE, [userId]);
  return rows.length > 0;
}

/** Exact, because `lockNames` serialises the creation of accounts. */
async function isFull(transaction: Transaction, realmId: number, limit: number): Promise<boolean> {
  const rows = await transaction.query('is_realm_full', IS_FULL, [realmId, limit]);
  return rows.length > 0;
}

/** Null when another account has the address. */
async function insert(transaction: Transaction, account: NewAccount): Promise<User | null> {
  const [user] = await transaction.query<User>('create_account', INSERT, [
    account.realmId,
    account.email,
    account.fullName,
    account.role,
    account.botOwnerId,
    account.passwordHash,
    account.apiKeyHash,
    account.apiKeySealed,
  ]);
  return user ?? null;
}
