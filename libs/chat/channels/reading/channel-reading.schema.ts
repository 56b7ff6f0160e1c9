import { z } from 'zod';
import { userErrors } from '#directory/users';
import { longestTexts } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { channelErrors } from '../channels.errors.js';
import { channelFields } from '../listing/channels.schema.js';

const common = { tag: 'channels', access: 'user', method: 'GET' } as const;

const streamId = identifier('The id of the channel.');

export const getChannel = endpoint({
  ...common,
  path: '/streams/{stream_id}',
  summary: 'Fetch a channel',
  description: 'Returns a channel that the caller may see, archived or not.',
  parameters: { stream_id: streamId },
  returns: z.object({ stream: z.object(channelFields) }),
  errors: [channelErrors.invalidChannelId],
});

export const getChannelId = endpoint({
  ...common,
  path: '/get_stream_id',
  summary: 'Find a channel by its name',
  description: 'Returns the id of a channel that the caller may see.',
  parameters: {
    stream: text(limitedText(longestTexts.channelName), {
      description: 'The name, in any case.',
    }),
  },
  returns: z.object({ stream_id: z.int() }),
  errors: [channelErrors.invalidChannelName],
});

export const getTopics = endpoint({
  ...common,
  path: '/users/me/{stream_id}/topics',
  summary: 'List the topics of a channel',
  description:
    'Returns the newest 20,000 topics with messages that the caller may read, newest first. Topics that differ only in case are one.',
  parameters: {
    stream_id: streamId,
    allow_empty_topic_name: json(z.boolean().default(false), {
      description: 'Whether the empty topic has the empty name, instead of `general chat`.',
    }),
  },
  largestAnswerBytes: 6_500_000,
  takesAnswerSlot: true,
  returns: z.object({
    topics: z.array(
      z.object({
        name: z.string().describe('As the newest message spells it.'),
        max_id: z.int().describe('The newest message.'),
      }),
    ),
  }),
  errors: [channelErrors.invalidChannelId],
});

export const getSubscribers = endpoint({
  ...common,
  path: '/streams/{stream_id}/members',
  summary: 'List the subscribers of a channel',
  description: 'Returns the active subscribers of a channel that the caller may see.',
  parameters: { stream_id: streamId },
  returns: z.object({ subscribers: z.array(z.int()).describe('Ids in ascending order.') }),
  errors: [channelErrors.invalidChannelId],
});

export const getSubscriptionStatus = endpoint({
  ...common,
  path: '/users/{user_id}/subscriptions/{stream_id}',
  summary: 'Ask whether an account is subscribed',
  description: 'Returns whether an account is subscribed to a channel.',
  parameters: { user_id: identifier('The id of the account.'), stream_id: streamId },
  returns: z.object({ is_subscribed: z.boolean() }),
  errors: [userErrors.noSuchUser, channelErrors.invalidChannelId],
});

export const getUserChannels = endpoint({
  ...common,
  path: '/users/{user_id}/channels',
  summary: 'List the channels of an account',
  description:
    'Returns the channels that an account is subscribed to and that the caller may see, without archived ones.',
  parameters: { user_id: identifier('The id of the account.') },
  returns: z.object({
    subscribed_channel_ids: z.array(z.int()).describe('Ids in ascending order.'),
  }),
  errors: [userErrors.noSuchUser],
});

export const getEmailAddress = endpoint({
  ...common,
  path: '/streams/{stream_id}/email_address',
  summary: 'Fetch the email address of a channel',
  description: 'Returns an empty text: the server receives no email.',
  parameters: { stream_id: streamId },
  returns: z.object({ email: z.string() }),
  errors: [channelErrors.invalidChannelId],
});
