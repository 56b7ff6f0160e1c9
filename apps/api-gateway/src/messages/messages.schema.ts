import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, identifier, json, limitedText, messageIdentifier, text } from '#edge';
import { idempotencyKey } from '../push/idempotency-key.js';
import { messageAnswer } from './message.answer.js';

/** In characters. */
const LONGEST_CONTENT = 10_000;
const LONGEST_TOPIC = 60;
const MOST_FLAGGED = 10_000;
/** Room for a thousand addresses of 254 characters, and for what joins them. */
const LONGEST_DESTINATION = 300_000;
/** Of what clients call queues and messages that they show before they are sent. */
const LONGEST_CLIENT_NAME = 1000;

const messages = { tag: 'messages', access: 'user' } as const;

const topic = z
  .string()
  .trim()
  .regex(/^\P{Cc}*$/u)
  .pipe(limitedText(LONGEST_TOPIC));

/** Flags that follow from a message, or that this server does not keep. */
const FIXED_FLAGS = new Set([
  'collapsed',
  'has_alert_word',
  'historical',
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'wildcard_mentioned',
]);

export const postMessage = endpoint({
  ...messages,
  method: 'POST',
  path: '/messages',
  summary: 'Send a message',
  description:
    'Sends a message to a topic of a channel, or to people. It arrives unread for everyone but its sender and those who have muted them.',
  parameters: {
    type: text(z.enum(['direct', 'channel', 'private', 'stream']), {
      description:
        'Whether it is for people or for a channel; `private` and `stream` are earlier names of the same.',
    }),
    to: text(limitedText(LONGEST_DESTINATION), {
      description:
        'The id or the name of the channel, or a list of ids or a list of email addresses of at most 1000 people; JSON, or a name or addresses as they are.',
    }),
    content: text(limitedText(LONGEST_CONTENT), {
      description: 'Markdown; not blank, at most 10000 characters.',
    }),
    topic: text(topic.optional(), {
      description:
        'The topic, at most 60 characters. A channel whose policy allows or wants messages without one needs none; not used for people.',
    }),
    subject: text(topic.optional(), {
      description: 'The older name of `topic`, which wins where both are sent.',
      isDeprecated: true,
    }),
    queue_id: text(limitedText(LONGEST_CLIENT_NAME).optional(), {
      description:
        'The event queue of a client that shows the message before it is sent; not used.',
    }),
    local_id: text(limitedText(LONGEST_CLIENT_NAME).optional(), {
      description: 'What such a client calls the message until then; not used.',
    }),
    read_by_sender: json(z.boolean().default(true), {
      description: 'Whether the sender has read it.',
    }),
    ...idempotencyKey,
  },
  returns: z.object({ id: z.int().describe('The id of the message.') }),
  errors: [
    'emptyMessage',
    'invalidDestination',
    'channelNameDoesNotExist',
    'channelIdDoesNotExist',
    'mayNotSendToChannel',
    'mayNotCreateTopic',
    'topicRequired',
    'topicNotAllowed',
    'invalidRecipients',
    'mixedRecipients',
    'noRecipients',
    'tooManyRecipients',
    'invalidRecipientId',
    'invalidRecipientEmail',
    'recipientDeactivated',
    'mayNotMentionGroup',
    'idempotencyKeyReused',
  ],
});

export const getMessage = endpoint({
  ...messages,
  method: 'GET',
  path: '/messages/{message_id}',
  summary: 'Fetch a message',
  description: 'Tells one message, as the caller has it.',
  parameters: {
    message_id: messageIdentifier('The id of the message.'),
    apply_markdown: json(z.boolean().default(true), {
      description: 'Whether `content` is to be HTML instead of Markdown.',
    }),
    allow_empty_topic_name: json(z.boolean().default(false), {
      description: 'An empty topic is told as it is in any case.',
    }),
  },
  returns: z.object({
    raw_content: z.string().describe('The content as Markdown. Deprecated.'),
    message: messageAnswer,
  }),
  errors: ['invalidMessage'],
});

export const postMarkStreamAsRead = endpoint({
  ...messages,
  method: 'POST',
  path: '/mark_stream_as_read',
  summary: 'Mark all messages of a channel as read',
  description:
    "Marks the caller's unread messages of a channel as read. Doing so again is no error.",
  isDeprecated: true,
  parameters: { stream_id: identifier('The id of the channel.') },
  returns: z.object({}),
  errors: ['invalidChannelId'],
});

export const postMessageFlags = endpoint({
  ...messages,
  method: 'POST',
  path: '/messages/flags',
  summary: 'Mark messages',
  description: "Adds or removes one of the caller's own flags of some messages.",
  parameters: {
    messages: json(z.array(z.int()).max(MOST_FLAGGED), {
      description:
        'The ids of at most 10000 messages; those not sent to the caller are passed over.',
    }),
    op: text(z.enum(['add', 'remove']), {
      description: 'What is to be done.',
      refusal: (operation) => new ApiError('invalidFlagOperation', { operation }),
    }),
    flag: text(z.enum(['read', 'starred']), {
      description: 'The flag.',
      refusal: (flag) =>
        new ApiError(FIXED_FLAGS.has(flag) ? 'flagNotEditable' : 'invalidFlag', { flag }),
    }),
  },
  returns: z.object({
    messages: z.array(z.int()).describe('Those of the messages that have the flag as wanted now.'),
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .describe(
        'Always empty: what was sent to an account can be marked whether or not it is still subscribed.',
      ),
  }),
  errors: ['invalidFlag', 'flagNotEditable', 'invalidFlagOperation'],
});
