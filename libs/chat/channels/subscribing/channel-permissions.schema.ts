import { groupSettingParameter, type GroupSettingValue } from '#directory/groups';
import { json } from '#platform/http';
import {
  type ChannelPermission,
  channelPermissions,
  permissionNames,
} from '../channel-access.rules.js';

type PermissionField = (typeof permissionNames)[ChannelPermission];

const holders = json(groupSettingParameter.optional(), {
  description: 'The holders of the permission: a group, or single accounts and groups.',
});

/** The parameters of a new channel with the holders of its permissions. */
export const permissionParameters = Object.fromEntries(
  channelPermissions.map((permission) => [permissionNames[permission], holders]),
) as Readonly<Record<PermissionField, typeof holders>>;

/** The holders of permissions that were given, by the names of the columns. */
export const permissionsIn = (
  parameters: Readonly<Partial<Record<PermissionField, GroupSettingValue | undefined>>>,
): Partial<Record<ChannelPermission, GroupSettingValue>> =>
  Object.fromEntries(
    channelPermissions.flatMap((permission) => {
      const value = parameters[permissionNames[permission]];
      return value === undefined ? [] : [[permission, value]];
    }),
  );
