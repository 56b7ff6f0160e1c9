import { groupValue, positive, realmState, registration } from '#test/realm-state-schema';
import { z } from 'zod';

/** Published clients fail with an answer that does not match: members that are demanded non-null. */

const profileValue = z.object({ value: z.string(), rendered_value: z.string().optional() });

export const account = z.object({
  user_id: positive,
  email: z.string().min(1),
  full_name: z.string().min(1),
  date_joined: z.string().min(1),
  is_bot: z.boolean(),
  role: z.union([100, 200, 300, 400, 600].map((role) => z.literal(role))),
  timezone: z.string(),
  avatar_version: z.int(),
  delivery_email: z.string().nullish(),
  avatar_url: z.string().nullish(),
  bot_type: z.int().nullish(),
  bot_owner_id: positive.nullish(),
  profile_data: z.record(z.string(), profileValue).optional(),
});

export const channel = z.object({
  stream_id: positive,
  name: z.string().min(1),
  description: z.string(),
  rendered_description: z.string(),
  date_created: positive,
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  is_archived: z.boolean(),
  message_retention_days: z.int().nullable(),
  first_message_id: positive.nullable(),
  folder_id: positive.nullable(),
  default_push_notifications: z.boolean(),
  topics_policy: z.enum([
    'inherit',
    'allow_empty_topic',
    'disable_empty_topic',
    'empty_topic_only',
  ]),
  stream_post_policy: z.int().min(1).max(4),
  can_send_message_group: groupValue,
  can_subscribe_group: groupValue,
  can_add_subscribers_group: groupValue,
  can_delete_any_message_group: groupValue,
  can_delete_own_message_group: groupValue,
  is_recently_active: z.boolean(),
  stream_weekly_traffic: z.int().nullable(),
});

export const subscription = channel.extend({
  color: z.string().regex(/^#[0-9a-f]{6}$/),
  pin_to_top: z.boolean(),
  is_muted: z.boolean(),
  desktop_notifications: z.boolean().nullable(),
  email_notifications: z.boolean().nullable(),
  wildcard_mentions_notify: z.boolean().nullable(),
  push_notifications: z.boolean().nullable(),
  audible_notifications: z.boolean().nullable(),
});

const ids = z.array(positive);
export const group = z.object({
  id: positive,
  name: z.string(),
  description: z.string(),
  members: ids,
  direct_subgroup_ids: ids,
  is_system_group: z.boolean(),
  deactivated: z.boolean(),
});

export const customEmoji = z.object({
  id: z.string(),
  name: z.string(),
  source_url: z.string(),
  still_url: z.string().nullable(),
  deactivated: z.boolean(),
  author_id: positive.nullable(),
});

export const profileField = z.object({
  id: positive,
  type: z.int().min(1).max(8),
  order: z.int(),
  name: z.string(),
  hint: z.string(),
  field_data: z.string(),
  required: z.boolean(),
  editable_by_user: z.boolean(),
  display_in_profile_summary: z.boolean().optional(),
});

const unreadMessages = z.strictObject({
  count: z.int(),
  pms: z.array(
    z.strictObject({ other_user_id: positive, sender_id: positive, unread_message_ids: ids }),
  ),
  streams: z.array(
    z.strictObject({ stream_id: positive, topic: z.string(), unread_message_ids: ids }),
  ),
  huddles: z.array(
    z.strictObject({ user_ids_string: z.string().regex(/^\d+(,\d+)+$/), unread_message_ids: ids }),
  ),
  mentions: ids,
  old_unreads_missing: z.boolean(),
});

const settings = z.object({
  twenty_four_hour_time: z.boolean().nullable(),
  starred_message_counts: z.boolean(),
  display_emoji_reaction_users: z.boolean(),
  emojiset: z.string().min(1),
  presence_enabled: z.boolean(),
  web_inbox_show_channel_folders: z.boolean(),
  pm_content_in_desktop_notifications: z.boolean(),
  send_private_typing_notifications: z.boolean(),
});

export const userStatus = z.object({
  status_text: z.string().optional(),
  emoji_name: z.string().optional(),
  emoji_code: z.string().optional(),
  reaction_type: z.enum(['unicode_emoji', 'realm_emoji', 'zulip_extra_emoji']).optional(),
  away: z.literal(true).optional(),
});

/** By the id of the account, for clients that ask for the modern form. */
const modernPresences = z.record(
  z.string().regex(/^\d+$/),
  z.strictObject({ active_timestamp: positive, idle_timestamp: positive }),
);

const legacyEntry = z.object({
  client: z.literal('website'),
  status: z.enum(['active', 'idle', 'offline']),
  timestamp: positive,
});

/** By the address of the account. */
const legacyPresences = z.record(
  z.string().includes('@'),
  z.strictObject({
    aggregated: legacyEntry.strict(),
    website: legacyEntry.extend({ pushable: z.boolean() }).strict(),
  }),
);

/** What both apps demand. */
const shared = {
  ...registration.shape,
  user_id: positive,
  email: z.string().min(1),
  full_name: z.string().min(1),
  realm_users: z.array(account),
  realm_non_active_users: z.array(account),
  cross_realm_bots: z.array(account.extend({ is_system_bot: z.literal(true) })),
  realm_user_groups: z.array(group),
  realm_emoji: z.record(z.string(), customEmoji),
  custom_profile_fields: z.array(profileField),
  unread_msgs: unreadMessages,
  starred_messages: ids,
  user_settings: settings,
};

/** The answer for the mobile app, which gets everything. */
export const mobileState = z.object({
  ...shared,
  ...realmState.shape,
  idle_queue_timeout_secs: z.literal(43_200),
  presences: modernPresences,
  presence_last_update_id: z.int(),
  server_timestamp: z.number(),
  alert_words: z.array(z.string()),
  muted_users: z.array(z.object({ id: positive, timestamp: positive })),
  recent_private_conversations: z.array(z.object({ max_message_id: positive, user_ids: ids })),
  subscriptions: z.array(subscription),
  streams: z.array(channel),
  user_status: z.record(z.string(), userStatus),
  user_topics: z.array(
    z.object({
      stream_id: positive,
      topic_name: z.string(),
      visibility_policy: z.int(),
      last_updated: z.int(),
    }),
  ),
  saved_snippets: z.array(
    z.object({ id: positive, title: z.string(), content: z.string(), date_created: positive }),
  ),
});

/** The answer for the terminal. It has no capabilities: settings of a subscription are never null. */
export const terminalState = z.object({
  ...shared,
  presences: legacyPresences,
  realm_name: z.string().min(1),
  realm_message_retention_days: z.int(),
  realm_allow_edit_history: z.boolean(),
  max_message_id: z.int(),
  muted_topics: z.array(z.tuple([z.string(), z.string(), z.int()])),
  subscriptions: z.array(
    subscription.extend({ subscribers: ids, desktop_notifications: z.boolean() }),
  ),
});

/** The answer for a client that needs only its queue. */
export const queueState = z.object(registration.shape);
