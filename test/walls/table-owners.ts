/** The capability that owns each table: only its repositories write the table. */
export const tableOwners: Readonly<Record<string, string>> = {
  alert_words: 'chat/alert-words',
  attachment_messages: 'chat/messages',
  attachments: 'chat/uploads',
  bot_storage: 'chat/bot-storage',
  channel_folders: 'chat/channels',
  channel_traffic: 'chat/channels',
  channels: 'chat/channels',
  client_devices: 'push/client-devices',
  direct_conversation_members: 'chat/messages',
  direct_conversations: 'chat/messages',
  drafts: 'chat/drafts',
  event_heads: 'events/log',
  event_queues: 'events/queues',
  events: 'events/log',
  idempotency_keys: 'platform/idempotency',
  left_channels: 'chat/messages',
  linkifiers: 'chat/linkifiers',
  message_edits: 'chat/messages',
  message_reactions: 'chat/reactions',
  messages: 'chat/messages',
  muted_users: 'chat/muting',
  notices: 'chat/messages',
  operator_actions: 'platform/operator-actions',
  outbox: 'directory/auth',
  playgrounds: 'chat/playgrounds',
  profile_fields: 'directory/profile-fields',
  profile_values: 'directory/profile-fields',
  push_collections: 'push/delivery',
  push_dead_letters: 'push/delivery',
  push_deliveries: 'push/delivery',
  push_devices: 'push/devices',
  push_fan_outs: 'push/notifications',
  push_keys: 'push/service',
  push_notifications: 'push/notifications',
  push_registrations: 'push/service',
  push_service_accounts: 'push/service',
  push_service_changes: 'push/service',
  push_service_realms: 'push/service',
  push_service_uploads: 'push/service',
  push_token_requests: 'push/client-devices',
  realm_email_domains: 'directory/realms',
  realm_emoji: 'chat/emoji',
  realms: 'directory/realms',
  remote_deliveries: 'push/delivery',
  remote_devices: 'push/remotes',
  remote_realms: 'push/remotes',
  remote_servers: 'push/remotes',
  removed_files: 'chat/uploads',
  saved_snippets: 'chat/saved-snippets',
  scheduled_messages: 'chat/scheduled-messages',
  submessages: 'chat/messages',
  subscriptions: 'chat/channels',
  upload_reservations: 'chat/uploads',
  // This release no longer writes it; a later migration drops it.
  user_activity: 'presence/last-seen',
  user_group_members: 'directory/groups',
  user_group_subgroups: 'directory/groups',
  user_groups: 'directory/groups',
  user_messages: 'chat/messages',
  user_presence: 'presence/last-seen',
  user_statuses: 'chat/user-status',
  user_topics: 'chat/user-topics',
  users: 'directory/users',
  video_call_tokens: 'chat/video-calls',
};

/** A capability that writes a table of another capability, with the reason. */
interface ForeignWriter {
  readonly table: string;
  readonly writer: string;
  readonly reason: string;
}

/** The known exceptions: none may be added, and an unneeded one must be removed. */
export const foreignWriters: readonly ForeignWriter[] = [
  {
    table: 'channel_traffic',
    writer: 'chat/messages',
    reason: 'The statement that stores a message counts it.',
  },
  {
    table: 'channels',
    writer: 'chat/messages',
    reason: 'The statement that stores a message sets the first message of its channel.',
  },
  {
    table: 'idempotency_keys',
    writer: 'push/notifications',
    reason: 'One statement accepts test notifications and claims their keys.',
  },
  {
    table: 'outbox',
    writer: 'push/logout',
    reason: 'It removes the completed entries.',
  },
  {
    table: 'push_dead_letters',
    writer: 'push/admin',
    reason: 'An operator dismisses dead letters, or has them sent again.',
  },
  {
    table: 'push_deliveries',
    writer: 'push/admin',
    reason: 'An operator has dead letters sent again.',
  },
  {
    table: 'push_deliveries',
    writer: 'push/logout',
    reason: 'A logout ends the deliveries to the devices that it removes.',
  },
  {
    table: 'push_deliveries',
    writer: 'push/notifications',
    reason: 'One statement accepts a notification with its deliveries.',
  },
  {
    table: 'push_devices',
    writer: 'push/delivery',
    reason: 'The statement that records outcomes removes dead tokens.',
  },
  {
    table: 'push_devices',
    writer: 'push/logout',
    reason: 'A logout removes the devices of older keys.',
  },
  {
    table: 'push_notifications',
    writer: 'push/admin',
    reason: 'An operator has dead letters sent again.',
  },
  {
    table: 'push_notifications',
    writer: 'push/delivery',
    reason: 'Retention removes notifications with their deliveries.',
  },
  {
    table: 'remote_deliveries',
    writer: 'push/remotes',
    reason: 'The push service accepts the notifications of servers.',
  },
  {
    table: 'realms',
    writer: 'chat/channels',
    reason: 'The task of a channel in its organisation ends in the transaction that archives it.',
  },
  {
    table: 'realms',
    writer: 'chat/uploads',
    reason: 'The quota of an organisation is reserved in the transaction of its file.',
  },
  {
    table: 'realms',
    writer: 'directory/users',
    reason: 'The system bots belong to a separate organisation.',
  },
  {
    table: 'user_messages',
    writer: 'push/notifications',
    reason: 'The statement that accepts notifications of a message marks its rows as pushed.',
  },
  {
    table: 'users',
    writer: 'directory/auth',
    reason: 'API keys and the versions of sign-ins are columns of the account.',
  },
  {
    table: 'users',
    writer: 'directory/settings',
    reason: 'Settings are columns of the account.',
  },
];
