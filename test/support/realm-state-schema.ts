import { z } from 'zod';

export const positive = z.int().positive();
// The host of an organisation of a test, org-1.127.0.0.1, is valid for no parser of URLs.
const origin = z.string().regex(/^https?:\/\/[^/]+$/);
const address = z.string().regex(/^https?:\/\/[^/]+\/.+$/);
const channelId = z.int().min(-1);
/** The holders of a permission. */
export const groupValue = z.union([
  positive,
  z.strictObject({ direct_members: z.array(positive), direct_subgroups: z.array(positive) }),
]);
const provider = z.strictObject({ id: z.int().min(0), name: z.string().min(1) });

/** The members of the fetch type `realm`, as published clients demand them. */
export const realmState = z.strictObject({
  realm_name: z.string(),
  realm_icon_url: z.url(),
  realm_url: origin,
  realm_uri: origin,
  realm_description: z.string(),
  realm_rendered_description: z.string(),
  realm_date_created: positive,
  max_stream_name_length: z.literal(60),
  max_topic_length: z.literal(60),
  max_message_length: z.literal(10_000),
  max_stream_description_length: z.literal(1024),
  max_file_upload_size_mib: positive,
  max_avatar_file_size_mib: z.literal(5),
  max_icon_file_size_mib: z.literal(5),
  realm_upload_quota_mib: positive.nullable(),
  server_presence_ping_interval_seconds: z.literal(60),
  server_presence_offline_threshold_seconds: z.literal(200),
  server_typing_started_expiry_period_milliseconds: z.literal(45_000),
  server_typing_stopped_wait_period_milliseconds: z.literal(12_000),
  server_typing_started_wait_period_milliseconds: z.literal(30_000),
  event_queue_longpoll_timeout_seconds: z.literal(90),
  realm_presence_disabled: z.boolean(),
  realm_require_e2ee_push_notifications: z.boolean(),
  realm_waiting_period_threshold: z.int().min(0),
  realm_wildcard_mention_policy: z.union([1, 2, 3, 5, 6, 7].map((policy) => z.literal(policy))),
  realm_allow_message_editing: z.literal(true),
  realm_message_content_edit_limit_seconds: positive.nullable(),
  realm_allow_edit_history: z.boolean(),
  realm_message_edit_history_visibility_policy: z.enum(['all', 'moves', 'none']),
  realm_message_content_delete_limit_seconds: positive.nullable(),
  realm_move_messages_within_stream_limit_seconds: z.literal(604_800),
  realm_move_messages_between_streams_limit_seconds: z.literal(604_800),
  realm_can_access_all_users_group: groupValue,
  realm_can_add_subscribers_group: groupValue,
  realm_can_create_users_group: groupValue,
  realm_can_delete_any_message_group: groupValue,
  realm_can_delete_own_message_group: groupValue,
  realm_can_manage_all_groups: groupValue,
  realm_can_move_messages_between_topics_group: groupValue,
  realm_can_move_messages_between_channels_group: groupValue,
  realm_enable_read_receipts: z.boolean(),
  realm_message_retention_days: z.int(),
  realm_topics_policy: z.enum(['allow_empty_topic', 'disable_empty_topic']),
  realm_mandatory_topics: z.boolean(),
  realm_empty_topic_display_name: z.literal('general chat'),
  realm_default_external_accounts: z.record(
    z.string(),
    z.strictObject({
      name: z.string(),
      text: z.string(),
      hint: z.string(),
      url_pattern: z.string().includes('%(username)s'),
    }),
  ),
  realm_moderation_request_channel_id: channelId,
  realm_new_stream_announcements_stream_id: channelId,
  realm_signup_announcements_stream_id: channelId,
  realm_zulip_update_announcements_stream_id: channelId,
  server_report_message_types: z.array(z.strictObject({ key: z.string(), name: z.string() })),
  server_emoji_data_url: address,
  server_thumbnail_formats: z.tuple([]),
  server_generation: z.int(),
  server_needs_upgrade: z.literal(false),
  development_environment: z.literal(false),
  zulip_plan_is_not_limited: z.literal(true),
  realm_plan_type: z.literal(1),
  realm_org_type: z.literal(0),
  realm_push_notifications_enabled: z.boolean(),
  realm_push_notifications_enabled_end_timestamp: z.int().nullable(),
  realm_bot_domain: z.string().min(1),
  realm_default_language: z.literal('en'),
  realm_default_code_block_language: z.literal(''),
  realm_video_chat_provider: z.int().min(0),
  realm_available_video_chat_providers: z.record(z.string(), provider),
  jitsi_server_url: z.null(),
  server_avatar_changes_disabled: z.literal(true),
  realm_name_changes_disabled: z.literal(false),
  realm_email_changes_disabled: z.literal(true),
  realm_authentication_methods: z.strictObject({
    Email: z.strictObject({ enabled: z.literal(true), available: z.literal(true) }),
  }),
  realm_email_auth_enabled: z.literal(true),
  realm_password_auth_enabled: z.literal(true),
});

/** The members of every registration. */
export const registration = z.strictObject({
  result: z.literal('success'),
  msg: z.literal(''),
  queue_id: z.string().min(1),
  last_event_id: z.int(),
  idle_queue_timeout_secs: positive,
  zulip_version: z.string().min(1),
  zulip_merge_base: z.string(),
  zulip_feature_level: z.literal(512),
});
