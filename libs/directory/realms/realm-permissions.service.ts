import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  GUEST_ACCESS_HOOK,
  type GuestAccessHook,
  isSameSetting,
  lockRealm,
  normalizeSetting,
  PermissionHoldersRepository,
  type RealmPermission,
  realmPermissionDefaults,
  type SystemGroupIds,
  type SystemGroupName,
  SystemGroupRepository,
  userGroupErrors,
} from '#directory/groups';
import { EventLog } from '#events/log';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { RealmRepository } from './realm.repository.js';

/** The holders of a permission: a group by its id, a system group by its name, or single members and groups. */
export type PermissionHolders = GroupSettingValue | SystemGroupName;

/** The permissions of organisations. */
@Injectable()
export class RealmPermissionsService {
  constructor(
    private readonly realms: RealmRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly values: GroupSettingRepository,
    private readonly holders: PermissionHoldersRepository,
    private readonly log: EventLog,
    @Optional() @Inject(GUEST_ACCESS_HOOK) private readonly guests: GuestAccessHook | null = null,
  ) {}

  /**
   * Gives a permission to other holders, with the event. Guests that see other accounts than before lose their event queues.
   * Rejects with `groupSettingForbidden`, `invalidUserGroupId` and `invalidHolder`.
   */
  async change(
    transaction: Transaction,
    realmId: number,
    permission: RealmPermission,
    given: PermissionHolders,
  ): Promise<void> {
    // The groups that decide which guests see all accounts stay as they are.
    await lockRealm(transaction, realmId);
    const systemGroups = await this.systemGroups.idsOf(realmId, transaction);
    const defaultId = systemGroups[realmPermissionDefaults[permission]];
    const value = checkedHolders(permission, given, systemGroups);
    const stored = await this.realms.holderOf(transaction, realmId, permission);
    const currentId = stored ?? defaultId;
    const current = (await this.values.valuesOf([currentId], transaction)).get(currentId);
    if (isSameSetting(value, normalizeSetting(current ?? currentId, systemGroups))) return;
    const guestsChanged =
      permission === 'can_access_all_users_group'
        ? await this.guests?.changing(transaction, { realmId, groupId: null })
        : undefined;
    const [groupId = defaultId] = await this.holders.store(transaction, realmId, [value]);
    const isDefault = groupId === defaultId;
    await this.realms.setHolder(transaction, realmId, permission, isDefault ? null : groupId);
    if (stored !== null) await this.holders.deleteNameless(transaction, [stored]);
    const body = { op: 'update_dict', property: 'default', data: { [permission]: value } };
    this.log.append(transaction, { realmId, type: 'realm', body, audience: { everyone: 'all' } });
    await guestsChanged?.();
  }
}

/** The holders in their simplest form. Throws `groupSettingForbidden` for a system group that cannot have the permission. */
function checkedHolders(
  permission: RealmPermission,
  given: PermissionHolders,
  systemGroups: SystemGroupIds,
): GroupSettingValue {
  const value = normalizeSetting(
    typeof given === 'string' ? systemGroups[given] : given,
    systemGroups,
  );
  const mayBeOfGuests = permission === 'can_access_all_users_group';
  const forbidden: readonly SystemGroupName[] = mayBeOfGuests
    ? ['role:internet']
    : ['role:internet', 'role:everyone'];
  const name = forbidden.find((group) => systemGroups[group] === value);
  if (name === undefined) return value;
  throw new ApiError(userGroupErrors.groupSettingForbidden, { setting: permission, name });
}
