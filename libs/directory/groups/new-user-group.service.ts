import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, limitErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { normalizeGroupName } from './group-name.rules.js';
import { requireGroupBytes, requireGroupMembers } from './group-size.repository.js';
import { type HolderChanges, GroupSettingsService } from './group-settings.service.js';
import { lockRealm } from './lock-realm.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { UserGroupChangeRepository } from './user-group-change.repository.js';
import { userGroupErrors } from './user-groups.errors.js';
import { UserGroupEvents } from './user-groups.events.js';

/** A group to create. */
interface NewUserGroup {
  readonly name: string;
  readonly description: string;
  readonly memberIds: readonly number[];
  readonly subgroupIds: readonly number[];
  /** Permissions without a value have their default. */
  readonly settings: HolderChanges;
}

export const MAX_GROUPS = 10_000;

/** Creates user groups. */
@Injectable()
export class NewUserGroupService {
  constructor(
    private readonly database: Database,
    private readonly changes: UserGroupChangeRepository,
    private readonly subgroups: SubgroupRepository,
    private readonly settings: GroupSettingsService,
    private readonly events: UserGroupEvents,
  ) {}

  /**
   * Resolves with the id of the new group. By default the creator alone may manage it and add members. Rejects with
   * ApiError for an invalid or used name, for members and holders that do not exist, and for one group too many.
   */
  async create(caller: Caller, group: NewUserGroup): Promise<number> {
    const realmId = caller.realm.id;
    const name = normalizeGroupName(group.name);
    const members = [...new Set(group.memberIds)];
    const creatorAlone = { direct_members: [caller.userId], direct_subgroups: [] };
    const given = { canAddMembersId: creatorAlone, canManageId: creatorAlone, ...group.settings };
    return this.database.transaction(async (transaction) => {
      await lockRealm(transaction, realmId);
      await this.settings.requireAccounts(transaction, realmId, members);
      const checked = await this.settings.check(transaction, realmId, given);
      if (!(await this.changes.lockAndCheckRoom(transaction, realmId, MAX_GROUPS))) {
        const full = { limit: MAX_GROUPS, what: 'user groups' };
        throw new ApiError(limitErrors.organizationLimitReached, full);
      }
      const permissions = await this.settings.store(transaction, realmId, checked);
      const columns = { ...permissions, name, description: group.description };
      const creator = { realmId, creatorId: caller.userId };
      const groupId = await this.changes.insert(transaction, creator, columns);
      if (groupId === null) throw new ApiError(userGroupErrors.groupNameTaken, { name });
      await this.changes.changeMembers(transaction, groupId, { add: members, remove: [] });
      await requireGroupBytes(transaction, realmId);
      await requireGroupMembers(transaction, realmId);
      const wanted = { add: group.subgroupIds, remove: [] };
      const subgroups = await this.subgroups.plan(transaction, { realmId, groupId }, wanted);
      await this.subgroups.change(transaction, groupId, subgroups);
      await this.events.created(transaction, realmId, groupId);
      return groupId;
    });
  }
}
