import { z } from 'zod';
import { groupSettingValue } from '#directory/groups/endpoints';
import { administrators } from '#directory/roles';
import { limitErrors } from '#platform/contracts';
import { endpoint, identifier, json, type ParametersOf, text } from '#platform/http';
import { byPermissionName, permissionTable } from '../channel-permission-table.rules.js';
import { propertyAnswers } from '../channel-property-table.rules.js';
import {
  bySubscriptionProperty,
  subscriptionPropertyTable,
} from '../subscriptions/subscription-property-table.rules.js';
import { channelErrors } from '../channels.errors.js';
import type { ChannelQuery } from './channels.service.js';

/** The members of a channel in every list of channels. */
export const channelFields = {
  stream_id: z.int(),
  name: z.string(),
  is_archived: z.boolean(),
  description: z.string().describe('Markdown.'),
  rendered_description: z.string().describe('The description as HTML that is safe to show.'),
  date_created: z.int().describe('UNIX seconds.'),
  creator_id: z.int().nullable().describe('Null when the creator is unknown.'),
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
  history_public_to_subscribers: z
    .boolean()
    .describe('Whether subscribers see the messages from before their subscription.'),
  first_message_id: z.int().nullable().describe('Null for a channel without messages.'),
  ...propertyAnswers,
  is_recently_active: z
    .boolean()
    .describe(
      'Whether the channel had messages in the last 180 days; false for a new channel without messages.',
    ),
  stream_weekly_traffic: z
    .int()
    .nullable()
    .describe(
      'The average number of messages per week in the last four weeks, rounded to two significant digits; null for a channel that is younger than a week.',
    ),
  subscriber_count: z.int().describe('Without deactivated accounts.'),
  ...byPermissionName((permission) =>
    groupSettingValue.describe(permissionTable[permission].meaning),
  ),
};

const off = z.boolean().default(false);
const on = z.boolean().default(true);

export const listChannels = endpoint({
  method: 'GET',
  path: '/streams',
  tag: 'channels',
  access: 'user',
  summary: 'List channels',
  description:
    'Returns the channels of all requested sources, sorted by name. Without any source the list is empty.',
  parameters: {
    include_public: json(on, {
      description: 'Public channels; ignored for guests.',
    }),
    include_web_public: json(off, { description: 'Channels that may be read without an account.' }),
    include_subscribed: json(on, { description: 'Channels that the caller is subscribed to.' }),
    exclude_archived: json(on, { description: 'Whether archived channels are left out.' }),
    include_all: json(off, {
      description: 'Channels that the caller may see; all channels for owners and administrators.',
    }),
    include_default: json(off, {
      description:
        'Channels that new accounts are subscribed to and that the caller may see; adds `is_default` to every channel of the list.',
    }),
    include_owner_subscribed: json(off, {
      description: 'For a bot: channels that its owner is subscribed to.',
    }),
    include_can_access_content: json(off, {
      description: 'Channels whose messages the caller may read.',
    }),
    include_all_active: json(off, {
      description: 'The older name of `include_all`, for owners and administrators only.',
      isDeprecated: true,
    }),
  },
  largestAnswerBytes: 100_000_000,
  takesAnswerSlot: true,
  returns: z.object({
    streams: z.array(
      z.object({
        ...channelFields,
        is_default: z
          .boolean()
          .optional()
          .describe('Whether new accounts are subscribed to it; only with `include_default`.'),
      }),
    ),
  }),
  errors: [channelErrors.notAuthorizedForQuery],
});

/** Maps the parameters of the endpoint to a query. */
export const channelQueryOf = (parameters: ParametersOf<typeof listChannels>): ChannelQuery => ({
  sources: {
    public: parameters.include_public,
    webPublic: parameters.include_web_public,
    subscribed: parameters.include_subscribed,
    ownerSubscribed: parameters.include_owner_subscribed,
    default: parameters.include_default,
    contentAccess: parameters.include_can_access_content,
    metadataAccess: parameters.include_all || parameters.include_all_active,
  },
  excludeArchived: parameters.exclude_archived,
  needsAdministrator: parameters.include_all_active,
});

const subscriptionAnswers = {
  color: z.string().describe("The caller's own colour for the channel, as `#rrggbb`."),
  switch: z.boolean(),
  'inheriting switch': z.boolean().nullable().describe('Null for the setting of the account.'),
};

export const listSubscriptions = endpoint({
  method: 'GET',
  path: '/users/me/subscriptions',
  tag: 'channels',
  access: 'user',
  summary: 'List own subscriptions',
  description:
    'Returns the channels that the caller is subscribed to, including archived channels, sorted by name.',
  parameters: {
    include_subscribers: text(z.enum(['true', 'false', 'partial']).default('false'), {
      description:
        'Whether to list the subscribers: `true`, `false`, or `partial`. A partial list may omit people who were inactive for two weeks, in channels of 250 or more subscribers.',
    }),
  },
  takesAnswerSlot: true,
  returns: z.object({
    subscriptions: z.array(
      z.object({
        ...channelFields,
        subscribers: z
          .array(z.int())
          .optional()
          .describe('The ids of all active subscribers, in ascending order.'),
        partial_subscribers: z
          .array(z.int())
          .optional()
          .describe(
            'Replaces `subscribers`: the ids of the bots, of the people who were active in the last two weeks, and possibly of others, in ascending order.',
          ),
        ...bySubscriptionProperty(
          (name) => subscriptionAnswers[subscriptionPropertyTable[name].kind],
        ),
        in_home_view: z
          .boolean()
          .meta({ deprecated: true })
          .describe('The opposite of `is_muted`.'),
      }),
    ),
  }),
  errors: [],
});

const defaultChannels = {
  tag: 'channels',
  path: '/default_streams',
  access: administrators,
  returns: z.object({}),
} as const;

export const addDefaultChannel = endpoint({
  ...defaultChannels,
  method: 'POST',
  summary: 'Add a default channel',
  description: 'Subscribes new accounts to a channel from now on. A repetition is not an error.',
  parameters: { stream_id: identifier('The channel; neither private nor archived.') },
  errors: [
    channelErrors.invalidChannelId,
    channelErrors.privateChannelCannotBeDefault,
    limitErrors.organizationLimitReached,
  ],
});

export const removeDefaultChannel = endpoint({
  ...defaultChannels,
  method: 'DELETE',
  summary: 'Remove a default channel',
  description:
    'Stops subscribing new accounts to a channel. A channel that is no default channel is not an error.',
  parameters: { stream_id: identifier('The channel; not archived.') },
  errors: [channelErrors.invalidChannelId],
});
