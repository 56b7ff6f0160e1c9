import { Injectable } from '@nestjs/common';
import { roleErrors } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { GroupAccess } from './group-access.js';
import { type ListChange, mayChangeMembers } from './group-authority.rules.js';
import { GroupMemberRepository } from './group-member.repository.js';
import { requireGroupMembers } from './group-size.repository.js';
import type { MembershipNotice } from './group-notices.js';
import { UserGroupChangeRepository } from './user-group-change.repository.js';
import { userGroupErrors } from './user-groups.errors.js';
import { UserGroupEvents } from './user-groups.events.js';

/** The direct members of user groups. */
@Injectable()
export class GroupMembersService {
  constructor(
    private readonly access: GroupAccess,
    private readonly members: GroupMemberRepository,
    private readonly changes: UserGroupChangeRepository,
    private readonly events: UserGroupEvents,
  ) {}

  /**
   * Adds direct members to a group and then removes others. Resolves with the group and its changes. Rejects with
   * ApiError for an unknown group, a missing permission, and for accounts that cannot be added or removed.
   */
  async change(
    transaction: Transaction,
    caller: Caller,
    groupId: number,
    given: ListChange,
  ): Promise<MembershipNotice> {
    const { group, authority } = await this.access.lock(transaction, caller, groupId);
    if (!mayChangeMembers(authority, caller.userId, given)) {
      throw new ApiError(roleErrors.insufficientPermission);
    }
    const realmId = caller.realm.id;
    const change = await this.#plan(transaction, realmId, groupId, given);
    const isDeactivated = group.deactivatedAt !== null;
    const concerned = { userIds: [...change.add, ...change.remove], membersOf: [] };
    const changed = { realmId, groupId, concerned };
    await this.events.duringMembershipChange(transaction, changed, async () => {
      await this.changes.changeMembers(transaction, groupId, change);
      if (change.add.length > 0) await requireGroupMembers(transaction, realmId);
      this.events.membersChanged(transaction, { realmId, groupId, isDeactivated }, change);
    });
    const { add: addedIds, remove: removedIds } = change;
    return { groupId, groupName: group.name, addedIds, removedIds };
  }

  /** Throws ApiError for the first error: first of the additions in their order, then of the removals. */
  async #plan(
    transaction: Transaction,
    realmId: number,
    groupId: number,
    given: ListChange,
  ): Promise<ListChange> {
    const [added, removed] = [new Set(given.add), new Set(given.remove)];
    const ids = [...added, ...removed];
    const accounts = await this.members.activeAccounts(transaction, realmId, ids);
    const present = await this.members.directMembers(transaction, groupId, ids);
    for (const id of ids) {
      if (!accounts.has(id)) throw new ApiError(userGroupErrors.invalidUserId, { id });
    }
    for (const id of added) {
      if (present.has(id)) throw new ApiError(userGroupErrors.alreadyMember, { id });
    }
    for (const id of removed) {
      if (!present.has(id) && !added.has(id)) {
        throw new ApiError(userGroupErrors.notAMember, { id });
      }
    }
    return {
      add: [...added].filter((id) => !removed.has(id)),
      remove: [...removed].filter((id) => !added.has(id)),
    };
  }
}
