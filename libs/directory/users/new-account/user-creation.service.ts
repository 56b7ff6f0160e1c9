import { Inject, Injectable } from '@nestjs/common';
import { GroupMembershipRepository, SystemGroupRepository } from '#directory/groups';
import { roles } from '#directory/roles';
import { ApiError, type Caller, LIMITS, type Limits } from '#platform/contracts';
import { AccountCreator } from './account-creator.js';
import { type NewAccountPolicy, NewAccountRepository } from './new-account.repository.js';
import { userErrors } from '../users.errors.js';

/** Creates accounts for administrators. */
@Injectable()
export class UserCreationService {
  constructor(
    private readonly accounts: NewAccountRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly creator: AccountCreator,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'accounts'>,
  ) {}

  /**
   * Creates an account with the role of a member and resolves with its id. The endpoint has checked that the caller is
   * an administrator. Rejects with ApiError when the caller is not in the group that may create users, else as
   * AccountCreator does.
   */
  async create(
    caller: Caller,
    user: { readonly email: string; readonly password: string; readonly fullName: string },
  ): Promise<number> {
    const realmId = caller.realm.id;
    const policy = await this.accounts.policyOf(realmId);
    await this.#requirePermission(caller, policy);
    const input = { ...user, role: roles.member, botOwnerId: null };
    const { accounts: limit } = this.limits;
    const { userId } = await this.creator.create(realmId, policy, input, limit);
    return userId;
  }

  async #requirePermission(
    caller: Caller,
    { canCreateUsersGroupId }: NewAccountPolicy,
  ): Promise<void> {
    const [groups, systemGroups] = await Promise.all([
      this.membership.groupsOf(caller.userId),
      this.systemGroups.idsOf(caller.realm.id),
    ]);
    if (!groups.has(canCreateUsersGroupId ?? systemGroups['role:administrators'])) {
      throw new ApiError(userErrors.notAllowedToCreateUsers);
    }
  }
}
