import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { GroupMemberRepository } from './group-member.repository.js';
import { UserGroupRepository } from './user-group.repository.js';
import { userGroupErrors } from './user-groups.errors.js';

/** The extent of a question about members or subgroups. */
interface MembershipExtent {
  /** Whether those of subgroups are left out. */
  readonly isDirectOnly: boolean;
}

/** Reads single user groups, active or deactivated. Every method rejects with `invalidUserGroup`. */
@Injectable()
export class GroupReadingService {
  constructor(
    private readonly groups: UserGroupRepository,
    private readonly members: GroupMemberRepository,
  ) {}

  /** The active members of groups together, in ascending order, those of subgroups included unless `isDirectOnly`. */
  async membersOf(
    caller: Caller,
    groupIds: readonly number[],
    { isDirectOnly }: MembershipExtent,
  ): Promise<number[]> {
    await this.#require(caller, groupIds);
    return this.members.membersOf({ realmId: caller.realm.id, groupIds, isDirectOnly });
  }

  /** Whether an active account is a member. Rejects with `noSuchMember` for an unknown account. */
  async isMember(
    caller: Caller,
    groupId: number,
    userId: number,
    { isDirectOnly }: MembershipExtent,
  ): Promise<boolean> {
    const realmId = caller.realm.id;
    await this.#require(caller, [groupId]);
    if (!(await this.members.hasAccount(realmId, userId))) {
      throw new ApiError(userGroupErrors.noSuchMember);
    }
    return this.members.isMember({ realmId, groupIds: [groupId], isDirectOnly }, userId);
  }

  /** The subgroups in ascending order, those of subgroups included unless `isDirectOnly`. */
  async subgroupsOf(
    caller: Caller,
    groupId: number,
    { isDirectOnly }: MembershipExtent,
  ): Promise<number[]> {
    await this.#require(caller, [groupId]);
    return this.members.subgroupsOf(groupId, isDirectOnly);
  }

  async #require(caller: Caller, groupIds: readonly number[]): Promise<void> {
    const found = await this.groups.statesOf(caller.realm.id, groupIds);
    if (!groupIds.every((id) => found.has(id))) {
      throw new ApiError(userGroupErrors.invalidUserGroup);
    }
  }
}
