import { Inject, Injectable } from '@nestjs/common';
import {
  API_KEY_SECRET,
  generateApiKey,
  hashApiKey,
  hashPassword,
  sealApiKey,
} from '#directory/auth';
import { ApiError, limitErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { NEW_ACCOUNT_HOOK, type NewAccountHook } from '../account-hooks.js';
import { normalizeFullName } from '../full-name.rules.js';
import { UserEvents } from '../users.events.js';
import { disposableDomains } from './disposable-domains.js';
import { normalizeEmailAddress, rejectForbiddenEmail } from './email-address.rules.js';
import {
  type Created,
  type NewAccount,
  type NewAccountPolicy,
  NewAccountRepository,
} from './new-account.repository.js';
import { isStrongPassword } from './password-strength.js';
import { userErrors } from '../users.errors.js';

/** The input for a new account. */
interface NewAccountInput {
  readonly email: string;
  readonly fullName: string;
  /** Null for an account that signs in only by its API key. */
  readonly password: string | null;
  readonly role: number;
  /** The owner of a bot; null for people. */
  readonly botOwnerId: number | null;
}

/** A created account. */
export interface AccountWithKey {
  readonly userId: number;
  /** Never logged; shown only to the creator of the account. */
  readonly apiKey: string;
}

const REFUSALS = {
  'bot owner': userErrors.botOwnerIsDeactivated,
  email: userErrors.emailInUse,
  name: userErrors.nameInUse,
};

/** Creates accounts that meet the policy of their organisation. */
@Injectable()
export class AccountCreator {
  constructor(
    private readonly accounts: NewAccountRepository,
    private readonly database: Database,
    private readonly events: UserEvents,
    @Inject(NEW_ACCOUNT_HOOK) private readonly hook: NewAccountHook,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
  ) {}

  /**
   * Rejects with ApiError for an invalid name, address or password, in this order, for a duplicate address, for a
   * duplicate name if names must be unique, for a bot of a deactivated account, and with `organizationLimitReached` when the
   * organisation already has `limit` accounts; null means no limit.
   */
  async create(
    realmId: number,
    policy: NewAccountPolicy,
    input: NewAccountInput,
    limit: number | null = null,
  ): Promise<AccountWithKey> {
    const fullName = await this.#freeName(realmId, input.fullName, policy);
    const email = await this.#freeEmail(realmId, input.email, policy);
    const { password, role, botOwnerId } = input;
    if (password !== null && !(await isStrongPassword(password, [email, fullName]))) {
      throw new ApiError(userErrors.weakPassword);
    }
    const apiKey = generateApiKey();
    const account = {
      realmId,
      email,
      fullName,
      role,
      botOwnerId,
      passwordHash: password === null ? null : await hashPassword(password),
      apiKeyHash: hashApiKey(apiKey),
      apiKeySealed: sealApiKey(apiKey, this.secret),
    };
    const created = await this.#store(account, limit);
    if ('user' in created) return { userId: created.user.id, apiKey };
    const { refusal } = created;
    if (refusal === 'limit') {
      throw new ApiError(limitErrors.organizationLimitReached, {
        limit: limit ?? 0,
        what: 'accounts',
      });
    }
    throw new ApiError(REFUSALS[refusal]);
  }

  /** Stores an account with its events and, for a person, the rows of the hook: all of it or nothing. */
  async #store(account: NewAccount, limit: number | null): Promise<Created> {
    return this.database.transaction(async (transaction) => {
      const created = await this.accounts.create(transaction, account, limit);
      if (!('user' in created)) return created;
      const { user } = created;
      const { id: userId, realmId } = user;
      await this.events.added(transaction, user, async () => {
        if (!user.isBot) await this.hook.personAdded(transaction, { realmId, userId });
      });
      return created;
    });
  }

  async #freeName(realmId: number, given: string, policy: NewAccountPolicy): Promise<string> {
    const fullName = normalizeFullName(given);
    if (policy.requiresUniqueNames && !(await this.accounts.isNameFree(realmId, fullName))) {
      throw new ApiError(userErrors.nameInUse);
    }
    return fullName;
  }

  async #freeEmail(realmId: number, given: string, policy: NewAccountPolicy): Promise<string> {
    const email = normalizeEmailAddress(given);
    const disposable = await disposableDomains();
    rejectForbiddenEmail(email, policy.email, (domain) => disposable.has(domain));
    if (await this.accounts.isEmailTaken(realmId, email)) throw new ApiError(userErrors.emailInUse);
    return email;
  }
}
