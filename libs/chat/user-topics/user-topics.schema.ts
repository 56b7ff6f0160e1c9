import { z } from 'zod';
import { channelErrors } from '#chat/channels';
import { topicName } from '#chat/channels/endpoints';
import { limitErrors, longestTexts } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { userTopicErrors } from './user-topics.errors.js';

const nothing = z.object({});
const topics = { tag: 'topics', access: 'user' } as const;

const topicNotes = {
  description:
    'The topic, at most 60 characters, with or without messages. `general chat` and `(no topic)` stand for the empty topic.',
};

export const setUserTopic = endpoint({
  ...topics,
  method: 'POST',
  path: '/user_topics',
  summary: 'Mute, unmute or follow a topic',
  description:
    'Sets how the caller sees a topic. Topics that differ only in case are one. A repetition is not an error.',
  parameters: {
    stream_id: identifier(
      'The channel of the topic; the caller may read it, and it is not archived.',
    ),
    topic: text(topicName, topicNotes),
    visibility_policy: json(z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]), {
      description:
        '1 mutes the topic, 2 unmutes it in a muted channel, 3 follows it, 0 removes the setting.',
    }),
  },
  returns: nothing,
  errors: [channelErrors.invalidChannelId, limitErrors.accountLimitReached],
});

export const muteTopic = endpoint({
  ...topics,
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  summary: 'Mute a topic, the older way',
  description: 'Mutes a topic, or ends its muting. `POST /user_topics` replaces it.',
  parameters: {
    stream_id: json(identifier('').schema.optional(), {
      description: 'The channel of the topic by its id.',
    }),
    stream: text(limitedText(longestTexts.channelName).optional(), {
      description: 'The channel of the topic by its name, instead of `stream_id`.',
    }),
    topic: text(topicName, topicNotes),
    op: text(z.enum(['add', 'remove']), {
      description: 'Whether to mute the topic or to end the muting.',
    }),
  },
  returns: nothing,
  errors: [
    channelErrors.invalidChannelId,
    channelErrors.invalidChannelName,
    limitErrors.accountLimitReached,
    userTopicErrors.topicNotMuted,
    userTopicErrors.bothChannelNames,
    userTopicErrors.noChannelName,
  ],
});
