import { Injectable } from '@nestjs/common';
import { roleErrors } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { type GroupToChange, GroupAccess } from './group-access.js';
import { normalizeGroupName } from './group-name.rules.js';
import { requireGroupBytes } from './group-size.repository.js';
import { type SettingChanges, SettingChangesService } from './setting-changes.service.js';
import { GroupUsesService } from './group-uses.service.js';
import { UserGroupChangeRepository } from './user-group-change.repository.js';
import { userGroupErrors } from './user-groups.errors.js';
import { UserGroupEvents } from './user-groups.events.js';

/** New values of a group; missing members stay unchanged. */
interface UserGroupChange {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly settings: SettingChanges;
  readonly isReactivated: boolean;
}

/** Changes, deactivates and reactivates user groups. */
@Injectable()
export class UserGroupChangesService {
  constructor(
    private readonly database: Database,
    private readonly access: GroupAccess,
    private readonly changes: UserGroupChangeRepository,
    private readonly settings: SettingChangesService,
    private readonly uses: GroupUsesService,
    private readonly events: UserGroupEvents,
  ) {}

  /** Changes all values or none. Rejects with ApiError for a missing permission and for an invalid value. */
  async update(caller: Caller, groupId: number, change: UserGroupChange): Promise<void> {
    const { name, description, settings, isReactivated } = change;
    const hasSettings = Object.keys(settings).length > 0;
    if (name === undefined && description === undefined && !hasSettings && !isReactivated) {
      throw new ApiError(userGroupErrors.noNewGroupData);
    }
    await this.database.transaction(async (transaction) => {
      const changing = await this.#lockManaged(transaction, caller, groupId);
      const { group } = changing;
      const wasDeactivated = group.deactivatedAt !== null;
      const isDeactivated = wasDeactivated && !isReactivated;
      if (wasDeactivated && isReactivated) {
        await this.changes.setDeactivated(transaction, groupId, false);
      }
      const realmId = caller.realm.id;
      const texts = {
        ...(name !== undefined && (await this.#nameChange(transaction, realmId, changing, name))),
        ...(description !== undefined && description !== group.description && { description }),
      };
      const changed = await this.settings.storeHolders(transaction, realmId, changing, settings);
      await this.changes.update(transaction, groupId, { ...texts, ...changed.columns });
      if (Object.keys(texts).length > 0) await requireGroupBytes(transaction, realmId);
      await this.settings.deleteReplaced(transaction, changed);
      if (wasDeactivated && isReactivated) {
        await this.events.reactivated(transaction, realmId, groupId);
      }
      const data = { ...texts, ...changed.data };
      this.events.updated(transaction, { realmId, groupId, isDeactivated }, data);
    });
  }

  /** Rejects with ApiError for a missing permission, and for a group that is deactivated or in use. */
  async deactivate(caller: Caller, groupId: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const { group } = await this.#lockManaged(transaction, caller, groupId);
      if (group.deactivatedAt !== null) throw new ApiError(userGroupErrors.alreadyDeactivated);
      const realmId = caller.realm.id;
      // Waits for channels that are about to give it a permission.
      await this.changes.setDeactivated(transaction, groupId, true);
      const objections = await this.uses.of(transaction, realmId, groupId);
      if (objections.length > 0) {
        throw new ApiError(userGroupErrors.groupInUse, {}, { objections });
      }
      this.events.deactivated(transaction, realmId, groupId);
    });
  }

  async #lockManaged(
    transaction: Transaction,
    caller: Caller,
    groupId: number,
  ): Promise<GroupToChange> {
    const changing = await this.access.lock(transaction, caller, groupId);
    if (!changing.authority.mayManage) throw new ApiError(roleErrors.insufficientPermission);
    return changing;
  }

  async #nameChange(
    transaction: Transaction,
    realmId: number,
    { group }: GroupToChange,
    given: string,
  ): Promise<{ readonly name?: string }> {
    const name = normalizeGroupName(given);
    if (name === group.name) return {};
    if (await this.changes.isNameTaken(transaction, realmId, name, group.id)) {
      throw new ApiError(userGroupErrors.groupNameTaken, { name });
    }
    return { name };
  }
}
