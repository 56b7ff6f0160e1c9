import { z } from 'zod';
import { groupSettingValue } from '../user-groups/group-setting.schema.js';

/** The members of a channel in every list of channels. */
export const channelFields = {
  stream_id: z.int(),
  name: z.string(),
  is_archived: z.boolean(),
  description: z.string().describe('Markdown.'),
  rendered_description: z.string().describe('The description as HTML that is safe to show.'),
  date_created: z.int().describe('UNIX seconds.'),
  creator_id: z.int().nullable().describe('Null when nobody is known to have made it.'),
  invite_only: z.boolean().describe('Whether the channel is private.'),
  is_web_public: z.boolean().describe('Whether it may be read without an account.'),
  stream_post_policy: z
    .union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
    .meta({ deprecated: true })
    .describe(
      'Who may send: 1 anyone, 2 administrators, 3 full members, 4 moderators. `can_send_message_group` is exact.',
    ),
  is_announcement_only: z
    .boolean()
    .meta({ deprecated: true })
    .describe('Whether `stream_post_policy` is 2.'),
  message_retention_days: z
    .int()
    .nullable()
    .describe('Null as the organisation keeps them; -1 forever.'),
  history_public_to_subscribers: z
    .boolean()
    .describe('Whether subscribers see what was said before they came.'),
  topics_policy: z.enum([
    'inherit',
    'allow_empty_topic',
    'disable_empty_topic',
    'empty_topic_only',
  ]),
  first_message_id: z.int().nullable().describe('Null when nothing was ever said.'),
  folder_id: z.int().nullable().describe('Null when it is in no folder.'),
  is_recently_active: z
    .boolean()
    .describe('Whether there were messages in the last 180 days, however new the channel is.'),
  stream_weekly_traffic: z
    .int()
    .nullable()
    .describe(
      'About how many messages a week, by the last four weeks, rounded to two digits; null for a channel of less than a week.',
    ),
  subscriber_count: z.int().describe('Without deactivated accounts.'),
  can_add_subscribers_group: groupSettingValue.describe('Who may subscribe others.'),
  can_remove_subscribers_group: groupSettingValue.describe('Who may unsubscribe others.'),
  can_administer_channel_group: groupSettingValue.describe('Who may change the channel.'),
  can_delete_any_message_group: groupSettingValue.describe('Who may delete any message.'),
  can_delete_own_message_group: groupSettingValue.describe('Who may delete messages of their own.'),
  can_move_messages_out_of_channel_group: groupSettingValue.describe(
    'Who may move messages to other channels.',
  ),
  can_move_messages_within_channel_group: groupSettingValue.describe(
    'Who may move messages to other topics.',
  ),
  can_resolve_topics_group: groupSettingValue.describe('Who may mark topics as resolved.'),
  can_send_message_group: groupSettingValue.describe('Who may send messages.'),
  can_subscribe_group: groupSettingValue.describe('Who may subscribe themselves.'),
  can_create_topic_group: groupSettingValue.describe('Who may begin topics.'),
};
