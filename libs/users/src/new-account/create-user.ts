import { Inject, Injectable } from '@nestjs/common';
import { API_KEY_SECRET, generateApiKey, hashApiKey, hashPassword, sealApiKey } from '#auth';
import { ApiError, type Caller } from '#contracts';
import { GroupMembershipRepository, SystemGroupRepository } from '#user-groups';
import { normalizeFullName } from '../full-name.rules.js';
import { DisposableDomains } from './disposable-domains.js';
import { normalizeEmailAddress, refuseForeignEmail } from './email-address.rules.js';
import { type NewAccountPolicy, NewAccountRepository } from './new-account.repository.js';
import { PasswordStrength } from './password-strength.js';

/** Who the new account is for. */
export interface NewUser {
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
}

/** Makes an account for a member of the caller's organisation. */
@Injectable()
export class CreateUser {
  constructor(
    private readonly accounts: NewAccountRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly disposable: DisposableDomains,
    private readonly strength: PasswordStrength,
    @Inject(API_KEY_SECRET) private readonly secret: Buffer,
  ) {}

  /**
   * Resolves with the new account's id; its password fetches its API key. That the caller is an
   * administrator has been seen to. Rejects with ApiError, in this order: the caller is not in the
   * organisation's group of those who may create users; the name, the address or the password is not
   * fit; of two accounts with one address or, where it matters, one name, only the first is made.
   */
  async execute(caller: Caller, user: NewUser): Promise<number> {
    const realmId = caller.realm.id;
    const policy = await this.accounts.policyOf(realmId);
    await this.#refuseUnauthorized(caller, policy);
    const fullName = await this.#freeName(realmId, user.fullName, policy);
    const email = await this.#freeEmail(realmId, user.email, policy);
    if (!(await this.strength.suffices(user.password, [email, fullName]))) {
      throw new ApiError('weakPassword');
    }
    const apiKey = generateApiKey();
    const created = await this.accounts.create({
      realmId,
      email,
      fullName,
      passwordHash: await hashPassword(user.password),
      apiKeyHash: hashApiKey(apiKey),
      apiKeySealed: sealApiKey(apiKey, this.secret),
    });
    if ('userId' in created) return created.userId;
    throw new ApiError(created.taken === 'name' ? 'nameInUse' : 'emailInUse');
  }

  async #refuseUnauthorized(
    caller: Caller,
    { canCreateUsersGroupId }: NewAccountPolicy,
  ): Promise<void> {
    const [groups, systemGroups] = await Promise.all([
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    if (!groups.has(canCreateUsersGroupId ?? systemGroups['role:administrators'])) {
      throw new ApiError('notAllowedToCreateUsers');
    }
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
