import { resolvePermissions, type SystemGroupIds, type SystemGroupName } from '#directory/groups';

/** The declaration of one permission of a channel. */
interface PermissionDeclaration {
  /** The name in the API. */
  readonly name: `can_${string}_group`;
  /** The holders in a channel whose row names none. */
  readonly initial: SystemGroupName;
  /** Whether guests cannot have it as a whole. */
  readonly isForMembers: boolean;
  readonly meaning: string;
}

/**
 * All permissions of a channel by the members of its row. The columns, the parameters, the answers and the events follow
 * from this table; docs/add-a-field.md shows how.
 */
export const permissionTable = {
  canAddSubscribersId: {
    name: 'can_add_subscribers_group',
    initial: 'role:nobody',
    isForMembers: true,
    meaning: 'Who may subscribe others.',
  },
  canRemoveSubscribersId: {
    name: 'can_remove_subscribers_group',
    initial: 'role:administrators',
    isForMembers: true,
    meaning: 'Who may unsubscribe others.',
  },
  canAdministerChannelId: {
    name: 'can_administer_channel_group',
    initial: 'role:nobody',
    isForMembers: true,
    meaning: 'Who may change the channel.',
  },
  canDeleteAnyMessageId: {
    name: 'can_delete_any_message_group',
    initial: 'role:nobody',
    isForMembers: true,
    meaning: 'Who may delete any message.',
  },
  canDeleteOwnMessageId: {
    name: 'can_delete_own_message_group',
    initial: 'role:nobody',
    isForMembers: false,
    meaning: 'Who may delete their own messages.',
  },
  canMoveMessagesOutId: {
    name: 'can_move_messages_out_of_channel_group',
    initial: 'role:nobody',
    isForMembers: true,
    meaning: 'Who may move messages to other channels.',
  },
  canMoveMessagesWithinId: {
    name: 'can_move_messages_within_channel_group',
    initial: 'role:nobody',
    isForMembers: false,
    meaning: 'Who may move messages to other topics.',
  },
  canResolveTopicsId: {
    name: 'can_resolve_topics_group',
    initial: 'role:nobody',
    isForMembers: false,
    meaning: 'Who may mark topics as resolved.',
  },
  canSendMessageId: {
    name: 'can_send_message_group',
    initial: 'role:everyone',
    isForMembers: false,
    meaning: 'Who may send messages.',
  },
  canSubscribeId: {
    name: 'can_subscribe_group',
    initial: 'role:nobody',
    isForMembers: true,
    meaning: 'Who may subscribe themselves.',
  },
  canCreateTopicId: {
    name: 'can_create_topic_group',
    initial: 'role:everyone',
    isForMembers: false,
    meaning: 'Who may begin topics.',
  },
} as const satisfies Readonly<Record<string, PermissionDeclaration>>;

export type ChannelPermission = keyof typeof permissionTable;

/** The name of a permission in the API. */
export type PermissionName = (typeof permissionTable)[ChannelPermission]['name'];

/** All permissions of a channel. */
// The members of the table are exactly the names.
export const channelPermissions = Object.keys(permissionTable) as readonly ChannelPermission[];

/** An object with a member for each permission, under its name in the API. */
export const byPermissionName = <Value>(
  valueOf: (permission: ChannelPermission) => Value,
): Readonly<Record<PermissionName, Value>> =>
  // fromEntries loses the type of the keys.
  Object.fromEntries(
    channelPermissions.map((permission) => [permissionTable[permission].name, valueOf(permission)]),
  ) as Record<PermissionName, Value>;

/** The group that has each permission of a channel. */
export type ChannelPermissions = Readonly<Record<ChannelPermission, number>>;

// fromEntries loses the type of the keys.
const initialHolders = Object.fromEntries(
  channelPermissions.map((permission) => [permission, permissionTable[permission].initial]),
) as Readonly<Record<ChannelPermission, SystemGroupName>>;

/** The permissions in the row of a channel, with the defaults where the row has none. */
export const resolveChannelPermissions = (
  stored: Readonly<Record<ChannelPermission, number | null>>,
  systemGroups: SystemGroupIds,
): ChannelPermissions =>
  resolvePermissions<ChannelPermission>(initialHolders, stored, systemGroups);
