import { Injectable } from '@nestjs/common';
import { subscribeToDefaultChannels } from '#channels';
import { Database, type Prisma } from '#database';
import { isNameFree, lockNames } from '../full-name.repository.js';
import type { EmailPolicy } from './email-address.rules.js';

/** What an organisation demands of new accounts. */
export interface NewAccountPolicy {
  /** Null stands for the administrators. */
  readonly canCreateUsersGroupId: number | null;
  readonly requiresUniqueNames: boolean;
  readonly email: EmailPolicy;
}

/** An account that is to be made, ready to be stored. */
export interface NewAccount {
  readonly realmId: number;
  readonly email: string;
  readonly fullName: string;
  readonly role: number;
  /** Null for people. */
  readonly botOwnerId: number | null;
  /** Null for one that only its API key signs in. */
  readonly passwordHash: string | null;
  readonly apiKeyHash: Buffer;
  readonly apiKeySealed: Buffer;
}

/** The id of the account; or what of it another one has; or that the organisation has no room for it. */
export type Created =
  { readonly userId: number } | { readonly taken: 'name' | 'email' } | { readonly isFull: true };

const IS_EMAIL_TAKEN = `
  SELECT 1 FROM users WHERE realm_id = $1 AND lower(delivery_email) = lower($2)`;

@Injectable()
export class NewAccountRepository {
  constructor(private readonly database: Database) {}

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

  /** Whether no account of the organisation has the name, whatever its case. */
  async isNameFree(realmId: number, fullName: string): Promise<boolean> {
    return isNameFree(this.database.prisma, { realmId, fullName });
  }

  /** Whether an account of the organisation has the address, whatever its case. */
  async isEmailTaken(realmId: number, email: string): Promise<boolean> {
    const rows = await this.database.query('is_email_taken', IS_EMAIL_TAKEN, [realmId, email]);
    return rows.length > 0;
  }

  /**
   * Makes an account, that of a person subscribed to the default channels: whole or not at all. Not more than
   * `limit` in an organisation, deactivated ones included; null stands for any number.
   */
  async create(account: NewAccount, limit: number | null): Promise<Created> {
    return this.database.prisma.$transaction(async (transaction) => {
      const { requiresUniqueNames } = await lockNames(transaction, account.realmId);
      if (requiresUniqueNames && !(await isNameFree(transaction, account))) {
        return { taken: 'name' };
      }
      if (limit !== null && (await isFull(transaction, account.realmId, limit))) {
        return { isFull: true };
      }
      const userId = await insert(transaction, account);
      if (userId === null) return { taken: 'email' };
      if (account.botOwnerId === null) {
        await subscribeToDefaultChannels(transaction, account.realmId, userId);
      }
      return { userId };
    });
  }
}

/** Those who give names take turns, so that nobody adds an account meanwhile. */
async function isFull(
  transaction: Prisma.TransactionClient,
  realmId: number,
  limit: number,
): Promise<boolean> {
  const rows = await transaction.$queryRaw<unknown[]>`
    SELECT 1 FROM users WHERE realm_id = ${realmId} OFFSET ${limit - 1} LIMIT 1`;
  return rows.length > 0;
}

/** Null when another account has the address; of two that are made at once, one has it. */
async function insert(
  transaction: Prisma.TransactionClient,
  account: NewAccount,
): Promise<number | null> {
  const { realmId, email, fullName, role, botOwnerId, passwordHash } = account;
  const [row] = await transaction.$queryRaw<{ id: number }[]>`
    INSERT INTO users (realm_id, delivery_email, email, full_name, role, is_bot, bot_owner_id,
                       password_hash, api_key_hash, api_key_sealed)
    VALUES (${realmId}, ${email}, ${email}, ${fullName}, ${role}, ${botOwnerId !== null},
            ${botOwnerId}, ${passwordHash}, ${account.apiKeyHash}, ${account.apiKeySealed})
    ON CONFLICT (realm_id, lower(delivery_email)) DO NOTHING
    RETURNING id`;
  return row?.id ?? null;
}
