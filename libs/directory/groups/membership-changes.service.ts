import { Inject, Injectable, Optional } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { Database } from '#platform/database';
import type { ListChange } from './group-authority.rules.js';
import { GroupMembersService } from './group-members.service.js';
import { GROUP_NOTICES, type GroupNotices } from './group-notices.js';
import { SubgroupsService } from './subgroups.service.js';
import { userGroupErrors } from './user-groups.errors.js';

/** The members and subgroups of user groups, changed together. */
@Injectable()
export class MembershipChangesService {
  constructor(
    private readonly database: Database,
    private readonly members: GroupMembersService,
    private readonly subgroups: SubgroupsService,
    @Optional() @Inject(GROUP_NOTICES) private readonly notices: GroupNotices | null = null,
  ) {}

  /**
   * Adds members and subgroups to a group and then removes others, all or nothing, and sends the accounts notices. Rejects with
   * ApiError for an empty change, an unknown group, a missing permission, and for accounts and groups that cannot be added
   * or removed.
   */
  async change(
    caller: Caller,
    groupId: number,
    members: ListChange,
    subgroups: ListChange,
  ): Promise<void> {
    const [hasMembers, hasSubgroups] = [members, subgroups].map(
      ({ add, remove }) => add.length + remove.length > 0,
    );
    if (!hasMembers && !hasSubgroups) throw new ApiError(userGroupErrors.noSubgroupChange);
    const sendNotices = await this.database.transaction(async (transaction) => {
      const change = hasMembers
        ? await this.members.change(transaction, caller, groupId, members)
        : null;
      if (hasSubgroups) await this.subgroups.change(transaction, caller, groupId, subgroups);
      if (change === null) return undefined;
      return this.notices?.membersChanged(transaction, caller, change);
    });
    await sendNotices?.();
  }
}
