import { groupSettingParameter, type GroupSettingValue } from '#directory/groups';
import { json } from '#platform/http';
import {
  byPermissionName,
  type ChannelPermission,
  channelPermissions,
  type PermissionName,
  permissionTable,
} from '../channel-permission-table.rules.js';

const holders = json(groupSettingParameter.optional(), {
  description: 'The holders of the permission: a group, or single accounts and groups.',
});

/** The parameters of a new channel with the holders of its permissions. */
export const permissionParameters = byPermissionName(() => holders);

/** Who may send was a number once. A request with it is refused: ignored, it would leave a channel open to all. */
export const formerSendingParameters = ['is_announcement_only', 'stream_post_policy'] as const;

/** The holders of permissions that were given, by the names of the columns. */
export const permissionsIn = (
  parameters: Readonly<Partial<Record<PermissionName, GroupSettingValue | undefined>>>,
): Partial<Record<ChannelPermission, GroupSettingValue>> =>
  Object.fromEntries(
    channelPermissions.flatMap((permission) => {
      const value = parameters[permissionTable[permission].name];
      return value === undefined ? [] : [[permission, value]];
    }),
  );
