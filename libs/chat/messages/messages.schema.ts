import { z } from 'zod';
import { ApiError, requestErrors } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, messageId, text } from '#platform/http';
import { idempotencyKey } from '#platform/idempotency/endpoints';
import { channelErrors } from '#chat/channels';
import { messageTopic } from '#chat/channels/endpoints';
import { destinationType } from './destination-type.schema.js';
import { messageContent } from './message-content.schema.js';
import { messageResponse } from './message.response.js';
import { messageErrors } from './messages.errors.js';

const MAX_FLAGGED_MESSAGES = 10_000;
/** Enough for a thousand addresses of 254 characters with separators. */
const MAX_DESTINATION_LENGTH = 300_000;
/** For the ids of event queues, and of messages before they are sent. */
const MAX_CLIENT_ID_LENGTH = 1000;

const messages = { tag: 'messages', access: 'user' } as const;

/** Flags that the server sets, or that it does not support. */
const FIXED_FLAGS = new Set([
  'has_alert_word',
  'historical',
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'wildcard_mentioned',
]);

/** The parameters of a change of a flag. */
export const flagChangeParameters = {
  op: text(z.enum(['add', 'remove']), {
    description: 'The operation.',
    refusal: (operation) => new ApiError(messageErrors.invalidFlagOperation, { operation }),
  }),
  flag: text(z.enum(['read', 'starred', 'collapsed', 'hide_link_previews']), {
    description: 'The flag.',
    refusal: (flag) =>
      new ApiError(
        FIXED_FLAGS.has(flag) ? messageErrors.flagNotEditable : messageErrors.invalidFlag,
        { flag },
      ),
  }),
};

export const postMessage = endpoint({
  ...messages,
  method: 'POST',
  path: '/messages',
  summary: 'Send a message',
  description:
    'Sends a message to a topic of a channel, or to people. It is unread for all recipients, except for the sender and for users who have muted the sender.',
  parameters: {
    type: text(destinationType, {
      description:
        'Whether the message is for people or for a channel; `private` and `stream` are the older names of `direct` and `channel`.',
    }),
    to: text(limitedText(MAX_DESTINATION_LENGTH), {
      description:
        'The id or name of the channel, or a list of the ids or of the email addresses of at most 1000 people. JSON; a name, or addresses separated by commas, may also be plain text.',
    }),
    content: text(messageContent, {
      description:
        'Markdown; not blank. Of more than 10000 characters the beginning is sent, with `[message truncated]` as its last line.',
    }),
    topic: text(messageTopic.optional(), {
      description:
        'The topic; ignored for a direct message. One of more than 60 characters is shortened to 57 and `...`. `general chat` and `(no topic)` stand for the empty topic. May be left out where the policy of the channel and of the organisation allows the empty topic.',
    }),
    subject: text(messageTopic.optional(), {
      description: 'The older name of `topic`. `topic` takes precedence.',
      isDeprecated: true,
    }),
    queue_id: text(limitedText(MAX_CLIENT_ID_LENGTH).optional(), {
      description:
        "The event queue of the client that sends the message; with `local_id`. Another account's queue is ignored.",
    }),
    local_id: text(limitedText(MAX_CLIENT_ID_LENGTH).optional(), {
      description:
        'The id of the client for the message before it is sent. The event of the message in that queue has it as `local_message_id`.',
    }),
    read_by_sender: json(z.boolean().default(true), {
      description: 'Whether the message is stored as read for the sender.',
    }),
    ...idempotencyKey,
  },
  returns: z.object({
    id: z.int().describe('The id of the message.'),
    message_url: z.string().describe('The address at which clients show the message.'),
    message_link: z
      .string()
      .describe(
        'A Markdown link to the message with its channel and topic as text; for a direct message, the address.',
      ),
  }),
  errors: [
    messageErrors.emptyMessage,
    messageErrors.invalidDestination,
    messageErrors.channelNameDoesNotExist,
    messageErrors.channelIdDoesNotExist,
    messageErrors.mayNotSendToChannel,
    messageErrors.mayNotCreateTopic,
    messageErrors.topicRequired,
    messageErrors.topicNotAllowed,
    messageErrors.invalidRecipients,
    messageErrors.mixedRecipients,
    messageErrors.noRecipients,
    messageErrors.tooManyRecipients,
    messageErrors.invalidRecipientId,
    messageErrors.invalidRecipientEmail,
    messageErrors.recipientDeactivated,
    messageErrors.mayNotMentionGroup,
    requestErrors.idempotencyKeyReused,
  ],
});

export const getMessage = endpoint({
  ...messages,
  method: 'GET',
  path: '/messages/{message_id}',
  summary: 'Fetch a message',
  description: 'Returns a message with the flags of the caller.',
  parameters: {
    message_id: messageId,
    apply_markdown: json(z.boolean().default(true), {
      description: 'Whether `content` is HTML instead of Markdown.',
    }),
    allow_empty_topic_name: json(z.boolean().default(false), {
      description:
        'Whether the empty topic is returned as an empty string. Otherwise it is returned as `general chat`.',
    }),
  },
  returns: z.object({
    raw_content: z.string().describe('The content as Markdown. Deprecated.'),
    message: messageResponse,
  }),
  errors: [messageErrors.invalidMessage],
});

export const postMarkChannelAsRead = endpoint({
  ...messages,
  method: 'POST',
  path: '/mark_stream_as_read',
  summary: 'Mark all messages of a channel as read',
  description:
    "Marks the caller's unread messages of a channel as read. A repetition is not an error.",
  isDeprecated: true,
  parameters: { stream_id: identifier('The id of the channel.') },
  returns: z.object({}),
  errors: [channelErrors.invalidChannelId],
});

export const postMessageFlags = endpoint({
  ...messages,
  method: 'POST',
  path: '/messages/flags',
  summary: 'Change a flag of messages',
  description:
    "Adds or removes one of the caller's own flags on messages. `starred`, `collapsed` and `hide_link_previews` can also be added to messages that the caller may read but has not received; these have the flags `read` and `historical` as well.",
  parameters: {
    messages: json(z.array(z.int()).max(MAX_FLAGGED_MESSAGES), {
      description:
        'The ids of at most 10000 messages; messages that the caller cannot read are ignored.',
    }),
    ...flagChangeParameters,
  },
  returns: z.object({
    messages: z
      .array(z.int())
      .describe('The ids of the messages that now have the requested state.'),
    ignored_because_not_subscribed_channels: z
      .array(z.int())
      .describe(
        'The channels whose messages were not marked as unread, since the caller is not subscribed to them.',
      ),
  }),
  errors: [
    messageErrors.invalidFlag,
    messageErrors.flagNotEditable,
    messageErrors.invalidFlagOperation,
  ],
});
