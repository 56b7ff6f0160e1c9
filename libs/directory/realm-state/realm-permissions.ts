import type { SystemGroupName } from '#directory/groups';

/** The permissions that no organisation can change, by their member of the answer. */
export const fixedRealmPermissions = {
  // Whoever administers a channel.
  realm_can_set_delete_message_policy_group: 'role:members',
  realm_workplace_users_group: 'role:everyone',
  realm_can_delete_own_message_group: 'role:everyone',
  realm_can_move_messages_between_topics_group: 'role:everyone',
  realm_can_move_messages_between_channels_group: 'role:members',
} as const satisfies Record<string, SystemGroupName>;
