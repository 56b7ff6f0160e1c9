import { Inject, Injectable } from '@nestjs/common';
import { API_KEY_SECRET, generateApiKey, hashApiKey, hashPassword, sealApiKey } from '#auth';
import { ApiError } from '#contracts';
import { normalizeFullName } from '../full-name.rules.js';
import { DisposableDomains } from './disposable-domains.js';
import { normalizeEmailAddress, refuseForeignEmail } from './email-address.rules.js';
import { type NewAccountPolicy, NewAccountRepository } from './new-account.repository.js';
import { PasswordStrength } from './password-strength.js';

/** An account that is wanted. */
export interface WantedAccount {
  readonly email: string;
  readonly fullName: string;
  /** Null for one that only its API key signs in. */
  readonly password: string | null;
  readonly role: number;
  /** The account that a bot belongs to; null for people. */
  readonly botOwnerId: number | null;
}

/** An account that was made. */
export interface AddedAccount {
  readonly userId: number;
  /** In no log, and shown to nobody but whoever made the account. */
  readonly apiKey: string;
}

/** Adds an account to an organisation, whoever may ask for that. */
@Injectable()
export class AddAccount {
  constructor(
    private readonly accounts: NewAccountRepository,
    private readonly disposable: DisposableDomains,
    private readonly strength: PasswordStrength,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
  ) {}

  /**
   * Rejects with ApiError when the name, the address or the password is not fit, in this order; of two
   * accounts with one address or, where it matters, one name, only the first is made. Rejects with
   * `organizationLimitReached` when the organisation has `limit` accounts; null stands for any number.
   */
  async execute(
    realmId: number,
    policy: NewAccountPolicy,
    wanted: WantedAccount,
    limit: number | null = null,
  ): Promise<AddedAccount> {
    const fullName = await this.#freeName(realmId, wanted.fullName, policy);
    const email = await this.#freeEmail(realmId, wanted.email, policy);
    const { password, role, botOwnerId } = wanted;
    if (password !== null && !(await this.strength.suffices(password, [email, fullName]))) {
      throw new ApiError('weakPassword');
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
    const created = await this.accounts.create(account, limit);
    if ('userId' in created) return { userId: created.userId, apiKey };
    if ('isFull' in created) {
      throw new ApiError('organizationLimitReached', { limit: limit ?? 0, what: 'accounts' });
    }
    throw new ApiError(created.taken === 'name' ? 'nameInUse' : 'emailInUse');
  }

  async #freeName(realmId: number, given: string, policy: NewAccountPolicy): Promise<string> {
    const fullName = normalizeFullName(given);
    if (policy.requiresUniqueNames && !(await this.accounts.isNameFree(realmId, fullName))) {
      throw new ApiError('nameInUse');
    }
    return fullName;
  }

  async #freeEmail(realmId: number, given: string, policy: NewAccountPolicy): Promise<string> {
    const email = normalizeEmailAddress(given);
    const disposable = await this.disposable.all();
    refuseForeignEmail(email, policy.email, (domain) => disposable.has(domain));
    if (await this.accounts.isEmailTaken(realmId, email)) throw new ApiError('emailInUse');
    return email;
  }
}
