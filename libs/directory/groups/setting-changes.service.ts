import { Injectable } from '@nestjs/common';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { GroupToChange } from './group-access.js';
import { GroupSettingRepository, type GroupSettingValue } from './group-setting.repository.js';
import { isSameSetting, normalizeSetting } from './group-setting.rules.js';
import { type HolderChanges, GroupSettingsService } from './group-settings.service.js';
import { PermissionHoldersRepository } from './permission-holders.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import type { UserGroupColumns } from './user-group-change.repository.js';
import type { UserGroupPermission } from './user-group-permissions.js';
import { userGroupErrors } from './user-groups.errors.js';
import { permissionFields } from './user-groups.response.js';

/** The new holders of permissions, and for each optionally the expected current ones. */
export type SettingChanges = Partial<
  Readonly<
    Record<
      UserGroupPermission,
      { readonly new: GroupSettingValue; readonly old?: GroupSettingValue | undefined }
    >
  >
>;

/** Changed permissions of a group. */
interface HolderUpdate {
  readonly columns: UserGroupColumns;
  /** The new values in the format of the API. */
  readonly data: Readonly<Record<string, GroupSettingValue>>;
  /** The groups that held the permissions before. */
  readonly replacedIds: readonly number[];
}

/** Changes the permissions of an existing group. */
@Injectable()
export class SettingChangesService {
  constructor(
    private readonly settings: GroupSettingsService,
    private readonly values: GroupSettingRepository,
    private readonly holders: PermissionHoldersRepository,
    private readonly systemGroups: SystemGroupRepository,
  ) {}

  /**
   * Stores the new holders of permissions, and resolves with the columns of the group for the caller to update. Values that
   * stay the same are left out. Rejects with `groupSettingMismatch` for other current holders than expected, and with
   * ApiError for invalid holders.
   */
  async storeHolders(
    transaction: Transaction,
    realmId: number,
    { group, permissions }: GroupToChange,
    given: SettingChanges,
  ): Promise<HolderUpdate> {
    // Object.keys loses the type of the keys.
    const names = Object.keys(given) as UserGroupPermission[];
    if (names.length === 0) return { columns: {}, data: {}, replacedIds: [] };
    const systemGroups = await this.systemGroups.idsOf(realmId, transaction);
    const current = await this.values.valuesOf(Object.values(permissions), transaction);
    const currentOf = (name: UserGroupPermission) =>
      normalizeSetting(current.get(permissions[name]) ?? permissions[name], systemGroups);
    for (const name of names) {
      const old = given[name]?.old;
      if (old === undefined) continue;
      if (!isSameSetting(normalizeSetting(old, systemGroups), currentOf(name))) {
        throw new ApiError(userGroupErrors.groupSettingMismatch);
      }
    }
    const wanted = names.map((name) => [name, given[name]?.new] as const);
    const checked = await this.settings.check(transaction, realmId, Object.fromEntries(wanted));
    const changed = names.filter((name) => !isSameSetting(valueOf(checked, name), currentOf(name)));
    const different = Object.fromEntries(changed.map((name) => [name, valueOf(checked, name)]));
    return {
      columns: await this.settings.store(transaction, realmId, different),
      data: Object.fromEntries(
        changed.map((name) => [permissionFields[name], valueOf(checked, name)]),
      ),
      replacedIds: changed.flatMap((name) => group[name] ?? []),
    };
  }

  /** Deletes the groups without a name that held changed permissions; runs after the columns were stored. */
  async deleteReplaced(transaction: Transaction, { replacedIds }: HolderUpdate): Promise<void> {
    await this.holders.deleteNameless(transaction, replacedIds);
  }
}

function valueOf(settings: HolderChanges, name: UserGroupPermission): GroupSettingValue {
  const value = settings[name];
  if (value === undefined) throw new Error(`There is no value of ${name}`);
  return value;
}
