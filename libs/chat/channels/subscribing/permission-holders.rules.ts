import { type GroupSettingValue, normalizeSetting, type SystemGroupIds } from '#directory/groups';
import { ApiError } from '#platform/contracts';
import { type ChannelPermission, permissionNames } from '../channel-access.rules.js';
import { channelErrors } from '../channels.errors.js';

/** The permissions that guests cannot have as a whole. */
const forMembers: ReadonlySet<ChannelPermission> = new Set<ChannelPermission>([
  'canAddSubscribersId',
  'canAdministerChannelId',
  'canDeleteAnyMessageId',
  'canMoveMessagesOutId',
  'canRemoveSubscribersId',
  'canSubscribeId',
]);

/** The holders of a permission in their simplest form. Throws `permissionNotForGroup` for a group that cannot have it. */
export function checkedHolders(
  permission: ChannelPermission,
  given: GroupSettingValue,
  systemGroups: SystemGroupIds,
): GroupSettingValue {
  const value = normalizeSetting(given, systemGroups);
  const names = [
    'role:internet' as const,
    ...(forMembers.has(permission) ? (['role:everyone'] as const) : []),
  ];
  const group = names.find((name) => systemGroups[name] === value);
  if (group === undefined) return value;
  const details = { permission: permissionNames[permission], group };
  throw new ApiError(channelErrors.permissionNotForGroup, details);
}
