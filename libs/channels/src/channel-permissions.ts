import { resolvePermissions, type SystemGroupIds, type SystemGroupName } from '#user-groups';

/** Who has a permission of a channel while its own setting is empty; the names are those of the columns. */
export const channelPermissionDefaults = {
  canAddSubscribersId: 'role:nobody',
  canAdministerChannelId: 'role:nobody',
  canCreateTopicId: 'role:everyone',
  canDeleteAnyMessageId: 'role:nobody',
  canDeleteOwnMessageId: 'role:nobody',
  canMoveMessagesOutId: 'role:nobody',
  canMoveMessagesWithinId: 'role:nobody',
  canRemoveSubscribersId: 'role:administrators',
  canResolveTopicsId: 'role:nobody',
  canSendMessageId: 'role:everyone',
  canSubscribeId: 'role:nobody',
} as const satisfies Record<string, SystemGroupName>;

export type ChannelPermission = keyof typeof channelPermissionDefaults;

/** The group that has each permission of a channel. */
export type ChannelPermissions = Readonly<Record<ChannelPermission, number>>;

/** The permissions of a channel as its row has them, with the defaults where it has none. */
export const resolveChannelPermissions = (
  stored: Readonly<Record<ChannelPermission, number | null>>,
  systemGroups: SystemGroupIds,
): ChannelPermissions =>
  resolvePermissions<ChannelPermission>(channelPermissionDefaults, stored, systemGroups);
