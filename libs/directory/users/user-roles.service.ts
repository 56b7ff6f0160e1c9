import { Injectable } from '@nestjs/common';
import type { AccountVersion } from '#directory/auth';
import { UserGroupEvents } from '#directory/groups';
import { roleErrors, roles } from '#directory/roles';
import { AccountQueues } from '#events/queues';
import { ApiError, type Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { UserRoleRepository } from './user-role.repository.js';
import { UserEvents } from './users.events.js';
import { userErrors } from './users.errors.js';

/** Changes the roles of accounts. */
@Injectable()
export class UserRolesService {
  constructor(
    private readonly repository: UserRoleRepository,
    private readonly groups: UserGroupEvents,
    private readonly events: UserEvents,
    private readonly queues: AccountQueues,
  ) {}

  /**
   * Changes the role of an account, with the events of its effects. An account that sees other accounts
   * differently then loses its event queues, because no bounded number of events could contain the difference. Resolves with
   * the authentication versions to raise after the commit. Rejects with `onlyOwnerRole`, and with `mustBeOwner` for a
   * caller who gives or takes the role of an owner without being one.
   */
  async change(
    transaction: Transaction,
    caller: Caller,
    account: { readonly realmId: number; readonly userId: number },
    role: number,
  ): Promise<readonly AccountVersion[]> {
    const { realmId, userId } = account;
    const current = await this.repository.lock(transaction, account);
    if (current.role === role) return [];
    const concernsOwners = role === roles.owner || current.role === roles.owner;
    if (concernsOwners && caller.role !== roles.owner) throw new ApiError(roleErrors.mustBeOwner);
    if (current.isOnlyOwner) throw new ApiError(userErrors.onlyOwnerRole);
    const change = { from: current.role, to: role };
    const isViewChanged = await this.repository.changesView(transaction, account, change);
    let versions: readonly AccountVersion[] = [];
    await this.groups.duringAccountChange(transaction, { ...account, ...current }, async () => {
      versions = await this.repository.change(transaction, userId, role);
      await this.events.updated(transaction, account, { role });
    });
    if (isViewChanged) await this.queues.removeAll(transaction, realmId, [userId]);
    return versions;
  }
}
