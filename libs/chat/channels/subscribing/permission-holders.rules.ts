import { type GroupSettingValue, normalizeSetting, type SystemGroupIds } from '#directory/groups';
import { ApiError } from '#platform/contracts';
import { type ChannelPermission, permissionTable } from '../channel-permission-table.rules.js';
import { channelErrors } from '../channels.errors.js';

/** The holders of a permission in their simplest form. Throws `permissionNotForGroup` for a group that cannot have it. */
export function checkedHolders(
  permission: ChannelPermission,
  given: GroupSettingValue,
  systemGroups: SystemGroupIds,
): GroupSettingValue {
  const { name: permissionName, isForMembers } = permissionTable[permission];
  const value = normalizeSetting(given, systemGroups);
  const names = ['role:internet' as const, ...(isForMembers ? (['role:everyone'] as const) : [])];
  const group = names.find((name) => systemGroups[name] === value);
  if (group === undefined) return value;
  const details = { permission: permissionName, group };
  throw new ApiError(channelErrors.permissionNotForGroup, details);
}
