import type { SystemGroupName } from '#directory/groups';

/** The permissions that no organisation can change, by their member of the answer. */
export const fixedRealmPermissions = {
  realm_can_delete_own_message_group: 'role:everyone',
  realm_can_move_messages_between_topics_group: 'role:everyone',
  realm_can_move_messages_between_channels_group: 'role:members',
} as const satisfies Record<string, SystemGroupName>;
