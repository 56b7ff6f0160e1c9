import { z } from 'zod';
import { administrators, roleErrors } from '#directory/roles';
import { endpoint, json, text } from '#platform/http';
import { channelErrors } from '../channels.errors.js';
import { apiSettings } from './realm-settings.rules.js';

/** The permissions of earlier levels, which were numbers: ignored, they would leave open what the caller wants closed. */
const formerPermissions = [
  'add_custom_emoji_policy',
  'allow_edit_history',
  'bot_creation_policy',
  'create_private_stream_policy',
  'create_public_stream_policy',
  'create_web_public_stream_policy',
  'delete_own_message_policy',
  'edit_topic_policy',
  'email_address_visibility',
  'invite_to_realm_policy',
  'invite_to_stream_policy',
  'mandatory_topics',
  'move_messages_between_streams_policy',
  'private_message_policy',
  'user_group_edit_policy',
  'wildcard_mention_policy',
];

/** Settings that this server does not have, or that only its operator changes. */
const refusedSettings = [
  ...formerPermissions,
  'allow_message_editing',
  'authentication_methods',
  'avatar_changes_disabled',
  'can_access_all_users_group',
  'can_add_custom_emoji_group',
  'can_add_subscribers_group',
  'can_create_bots_group',
  'can_create_groups',
  'can_create_private_channel_group',
  'can_create_public_channel_group',
  'can_create_users_group',
  'can_create_web_public_channel_group',
  'can_create_write_only_bots_group',
  'can_delete_any_message_group',
  'can_delete_own_message_group',
  'can_invite_users_group',
  'can_manage_all_groups',
  'can_manage_billing_group',
  'can_mention_many_users_group',
  'can_move_messages_between_channels_group',
  'can_move_messages_between_topics_group',
  'can_resolve_topics_group',
  'can_set_delete_message_policy_group',
  'can_set_topics_policy_group',
  'can_summarize_topics_group',
  'create_multiuse_invite_group',
  'default_avatar_source',
  'default_code_block_language',
  'default_language',
  'digest_emails_enabled',
  'digest_weekday',
  'direct_message_initiator_group',
  'direct_message_permission_group',
  'disallow_disposable_email_addresses',
  'email_changes_disabled',
  'emails_restricted_to_domains',
  'enable_guest_user_dm_warning',
  'enable_guest_user_indicator',
  'enable_read_receipts',
  'enable_spectator_access',
  'gif_rating_policy',
  'inline_image_preview',
  'inline_url_embed_preview',
  'invite_required',
  'jitsi_server_url',
  'media_preview_size',
  'message_content_allowed_in_email_notifications',
  'message_content_delete_limit_seconds',
  'message_content_edit_limit_seconds',
  'message_edit_history_visibility_policy',
  'move_messages_between_streams_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'name_changes_disabled',
  'org_type',
  'require_unique_names',
  'send_welcome_emails',
  'signup_announcements_stream_id',
  'string_id',
  'topics_policy',
  'video_chat_provider',
  'waiting_period_threshold',
  'want_advertise_in_communities_directory',
  'welcome_message_custom_text',
  'workplace_users_group',
  'zulip_update_announcements_stream_id',
];

export const changeRealm = endpoint({
  tag: 'channels',
  method: 'PATCH',
  path: '/realm',
  access: administrators,
  summary: 'Change the organisation',
  description:
    'Changes the name and the description, the channels that receive reports and announcements (-1: none), the phones that are notified, and the retention of messages. A missing parameter changes nothing.',
  parameters: {
    name: text(apiSettings.name.schema.optional(), {
      description: 'The name of the organisation.',
    }),
    description: text(apiSettings.description.schema.optional(), {
      description: 'What the organisation is, in Markdown.',
    }),
    moderation_request_channel_id: json(
      apiSettings.moderation_request_channel_id.schema.optional(),
      {
        description: 'The private channel that receives reports of messages.',
      },
    ),
    new_stream_announcements_stream_id: json(
      apiSettings.new_stream_announcements_stream_id.schema.optional(),
      {
        description: 'The channel in which new public channels are announced.',
      },
    ),
    require_e2ee_push_notifications: json(
      apiSettings.require_e2ee_push_notifications.schema.optional(),
      {
        description: 'Whether notifications are sent only to phones that get them encrypted.',
      },
    ),
    send_channel_events_messages: json(apiSettings.send_channel_events_messages.schema.optional(), {
      description: 'Whether new channels, and changes of channels, are told in the channels.',
    }),
    message_retention_days: json(apiSettings.message_retention_days.schema.optional(), {
      description:
        'The days after which direct messages, and messages of channels without an own retention, are deleted; for owners.',
    }),
  },
  refuses: refusedSettings,
  returns: z.object({}),
  errors: [
    channelErrors.invalidChannelId,
    channelErrors.moderationChannelNotPrivate,
    roleErrors.mustBeOwner,
  ],
});
