import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, roleErrors } from '#platform/contracts';
import { Database, type Session } from '#platform/database';
import { GroupAccess } from './group-access.js';
import { mayChangeSubgroups } from './group-authority.rules.js';
import { planSubgroups, type SubgroupChange } from './subgroup-change.rules.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { userGroupErrors } from './user-groups.errors.js';
import { UserGroupEvents } from './user-groups.events.js';

/** The subgroups of user groups. */
@Injectable()
export class SubgroupsService {
  constructor(
    private readonly access: GroupAccess,
    private readonly subgroups: SubgroupRepository,
    private readonly database: Database,
    private readonly events: UserGroupEvents,
  ) {}

  /**
   * Adds subgroups to a group and removes others, in one transaction. Rejects with ApiError for an empty change, an
   * unknown group, a missing permission, and for groups that cannot be added or removed.
   */
  async change(
    caller: Caller,
    groupId: number,
    wanted: SubgroupChange,
    session: Session = this.database,
  ): Promise<void> {
    if (wanted.add.length === 0 && wanted.remove.length === 0) {
      throw new ApiError(userGroupErrors.noSubgroupChange);
    }
    const realmId = caller.realm.id;
    const plan = planSubgroups.bind(null, groupId, wanted);
    await session.transaction(async (transaction) => {
      const { group, authority } = await this.access.lock(transaction, caller, groupId);
      if (!mayChangeSubgroups(authority, wanted)) {
        throw new ApiError(roleErrors.insufficientPermission);
      }
      const isDeactivated = group.deactivatedAt !== null;
      const place = { realmId, groupId };
      await this.events.duringMembershipChange(transaction, place, async () => {
        const change = await this.subgroups.change(place, wanted, plan, transaction);
        this.events.subgroupsChanged(transaction, { ...place, isDeactivated }, change);
      });
    });
  }
}
