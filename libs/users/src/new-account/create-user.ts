import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, roles } from '#contracts';
import { GroupMembershipRepository, SystemGroupRepository } from '#user-groups';
import { AddAccount } from './add-account.js';
import { type NewAccountPolicy, NewAccountRepository } from './new-account.repository.js';

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
    private readonly addAccount: AddAccount,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'accounts'>,
  ) {}

  /**
   * Resolves with the new account's id; its password fetches its API key. That the caller is an
   * administrator has been seen to. Rejects with ApiError when the caller is not in the organisation's
   * group of those who may create users, and then as AddAccount does.
   */
  async execute(caller: Caller, user: NewUser): Promise<number> {
    const realmId = caller.realm.id;
    const policy = await this.accounts.policyOf(realmId);
    await this.#refuseUnauthorized(caller, policy);
    const wanted = { ...user, role: roles.member, botOwnerId: null };
    const { accounts: limit } = this.limits;
    const { userId } = await this.addAccount.execute(realmId, policy, wanted, limit);
    return userId;
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
}
