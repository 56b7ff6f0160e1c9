import type { GroupSettingValue, SystemGroupIds } from '#directory/groups';
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

/** Throws `permissionNotForGroup` if a permission cannot be given to this group. */
export function forbiddenHolder(
  permission: ChannelPermission,
  value: GroupSettingValue,
  systemGroups: SystemGroupIds,
): void {
  const names = [
    'role:internet' as const,
    ...(forMembers.has(permission) ? (['role:everyone'] as const) : []),
  ];
  const group = names.find((name) => systemGroups[name] === value);
  if (group === undefined) return;
  const details = { permission: permissionNames[permission], group };
  throw new ApiError(channelErrors.permissionNotForGroup, details);
}
