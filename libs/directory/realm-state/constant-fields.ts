import { EMPTY_TOPIC_NAME, longestLists, longestTexts } from '#platform/contracts';

/** The id that stands for no channel. */
export const NO_CHANNEL = -1;
const WEEK_SECONDS = 604_800;

/** The value of `realm_wildcard_mention_policy` for "everyone"; clients fail with a number that they do not know. */
const EVERYONE_MAY_MENTION_ALL = 1;

/** The members of the state of an organisation that are the same in every organisation. */
export const constantFields = {
  max_stream_name_length: longestTexts.channelName,
  max_stream_description_length: longestTexts.channelDescription,
  max_topic_length: longestTexts.topic,
  max_message_length: longestTexts.message,
  max_bulk_new_subscription_messages: longestLists.subscriptionNotices,
  max_channel_folder_name_length: longestTexts.channelName,
  max_channel_folder_description_length: longestTexts.channelDescription,
  // The server has no reminders; clients limit what they let people write.
  max_reminder_note_length: 1000,

  // Pictures of accounts and organisations are generated; clients still need a number.
  max_avatar_file_size_mib: 5,
  max_icon_file_size_mib: 5,
  server_avatar_changes_disabled: true,
  // Pictures are not scaled.
  server_thumbnail_formats: [],

  // How clients send and show typing.
  server_typing_started_expiry_period_milliseconds: 45_000,
  server_typing_stopped_wait_period_milliseconds: 12_000,
  server_typing_started_wait_period_milliseconds: 30_000,
  // Longer than the 55 s after which a poll is answered with a heartbeat.
  event_queue_longpoll_timeout_seconds: 90,

  realm_wildcard_mention_policy: EVERYONE_MAY_MENTION_ALL,
  realm_empty_topic_display_name: EMPTY_TOPIC_NAME,

  realm_allow_message_editing: true,
  realm_message_content_edit_limit_seconds: null,
  realm_message_content_delete_limit_seconds: null,
  realm_move_messages_within_stream_limit_seconds: WEEK_SECONDS,
  realm_move_messages_between_streams_limit_seconds: WEEK_SECONDS,
  realm_allow_edit_history: true,
  realm_message_edit_history_visibility_policy: 'all',
  realm_enable_read_receipts: true,

  // No channel gets notices about new accounts or updates of the server.
  realm_signup_announcements_stream_id: NO_CHANNEL,
  realm_zulip_update_announcements_stream_id: NO_CHANNEL,

  realm_default_language: 'en',
  realm_default_code_block_language: '',
  jitsi_server_url: null,

  // `PATCH /settings` changes names, but not addresses.
  realm_name_changes_disabled: false,
  realm_email_changes_disabled: true,
  realm_authentication_methods: { Email: { enabled: true, available: true } },
  realm_email_auth_enabled: true,
  realm_password_auth_enabled: true,

  // A server that its operators run themselves, without plans or kinds of organisations.
  zulip_plan_is_not_limited: true,
  realm_plan_type: 1,
  realm_org_type: 0,
  realm_owner_full_content_access: false,
  // Pictures of accounts come from Gravatar, and previews have their ordinary size, in percent.
  realm_default_avatar_source: 'G',
  realm_media_preview_size: 100,
  // Without a key, clients offer no search for animated pictures.
  giphy_api_key: '',
  tenor_api_key: '',
  klipy_api_key: '',
  server_needs_upgrade: false,
  development_environment: false,
  // Clients compare it with that of an event `restart`, which is not sent while the version stays.
  server_generation: 0,
} as const;
