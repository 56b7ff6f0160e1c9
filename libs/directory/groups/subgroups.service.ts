import { Injectable } from '@nestjs/common';
import { roleErrors } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { GroupAccess } from './group-access.js';
import { type ListChange, mayChangeSubgroups } from './group-authority.rules.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { UserGroupEvents } from './user-groups.events.js';

/** The subgroups of user groups. */
@Injectable()
export class SubgroupsService {
  constructor(
    private readonly access: GroupAccess,
    private readonly subgroups: SubgroupRepository,
    private readonly events: UserGroupEvents,
  ) {}

  /**
   * Adds subgroups to a group and then removes others. Rejects with ApiError for an unknown group, a missing permission, and
   * for groups that cannot be added or removed.
   */
  async change(
    transaction: Transaction,
    caller: Caller,
    groupId: number,
    given: ListChange,
  ): Promise<void> {
    const { group, authority } = await this.access.lock(transaction, caller, groupId);
    if (!mayChangeSubgroups(authority, given)) {
      throw new ApiError(roleErrors.insufficientPermission);
    }
    const place = { realmId: caller.realm.id, groupId };
    const isDeactivated = group.deactivatedAt !== null;
    // Before the members are read: the groups of an invalid change may be of other organisations.
    const change = await this.subgroups.plan(transaction, place, given);
    const concerned = { userIds: [], membersOf: [...change.add, ...change.remove] };
    await this.events.duringMembershipChange(transaction, { ...place, concerned }, async () => {
      await this.subgroups.change(transaction, groupId, change);
      this.events.subgroupsChanged(transaction, { ...place, isDeactivated }, change);
    });
  }
}
