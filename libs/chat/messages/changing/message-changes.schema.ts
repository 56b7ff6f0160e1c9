import { channelErrors } from '#chat/channels';
import { messageTopic, topicName } from '#chat/channels/endpoints';
import { endpoint, identifier, json, limitedText, messageId, text } from '#platform/http';
import { z } from 'zod';
import { messageContent } from '../message-content.schema.js';
import { messageErrors } from '../messages.errors.js';

const common = { tag: 'messages', access: 'user', path: '/messages/{message_id}' } as const;

/** Of a SHA-256 in hexadecimal; more is compared, and does not match. */
const MAX_DIGEST_LENGTH = 100;

const detachedUpload = z.object({
  id: z.int(),
  name: z.string(),
  size: z.int().describe('In bytes.'),
  path_id: z.string(),
  create_time: z.int().describe('UNIX seconds.'),
  message_ids: z.array(z.int()),
});

export const patchMessage = endpoint({
  ...common,
  method: 'PATCH',
  summary: 'Edit or move a message',
  description:
    'Changes the content of a message, its topic, or its topic and channel. Only its sender may change the content; mentions, links to files and notifications follow. Members may move messages that are at most a week old to places where they may send, moderators and administrators all messages; guests may only change topics. At most 10000 messages are moved at once. `✔ ` before a topic marks it as resolved; a message of the server tells so in the topic.',
  parameters: {
    message_id: messageId,
    content: text(messageContent.optional(), {
      description:
        'The new Markdown; blank: `(deleted)`. More than 10000 characters are shortened as in `POST /messages`.',
    }),
    topic: text(messageTopic.optional(), {
      description:
        'The new topic. One of more than 60 characters is shortened to 57 and `...`. `general chat` and `(no topic)` stand for the empty topic.',
    }),
    subject: text(messageTopic.optional(), {
      description: 'The older name of `topic`. `topic` takes precedence.',
      isDeprecated: true,
    }),
    stream_id: json(z.int().optional(), { description: 'The id of the new channel.' }),
    propagate_mode: text(
      z.enum(['change_one', 'change_later', 'change_all']).default('change_one'),
      {
        description:
          'Which messages of the topic move: the given one, it and all later ones, or all. Only with a new topic or channel.',
      },
    ),
    send_notification_to_old_thread: json(z.boolean().default(false), {
      description: 'Whether the server announces the move with a message in the old topic.',
    }),
    send_notification_to_new_thread: json(z.boolean().default(true), {
      description: 'The same in the new topic; not if the topic is only resolved.',
    }),
    prev_content_sha256: text(limitedText(MAX_DIGEST_LENGTH).optional(), {
      description:
        'The SHA-256, in hexadecimal, of the Markdown that the client has edited. The content stays if it has another one.',
    }),
  },
  returns: z.object({
    detached_uploads: z
      .array(detachedUpload)
      .describe('The files of the caller that no message links any more.'),
  }),
  errors: [
    messageErrors.invalidMessage,
    messageErrors.messageAlreadyDeleted,
    messageErrors.nothingToChange,
    messageErrors.mayNotEdit,
    messageErrors.contentChanged,
    messageErrors.mayNotMove,
    messageErrors.topicLimitPassed,
    messageErrors.channelLimitPassed,
    messageErrors.moveLimitExceeded,
    messageErrors.tooManyMessagesToMove,
    messageErrors.directMessageTopic,
    messageErrors.directMessageToChannel,
    messageErrors.propagationWithoutMove,
    messageErrors.generalChatResolved,
    messageErrors.contentAndChannel,
    messageErrors.widgetEdited,
    messageErrors.mayNotSendToChannel,
    messageErrors.mayNotCreateTopic,
    messageErrors.topicRequired,
    messageErrors.topicNotAllowed,
    messageErrors.mayNotMentionGroup,
    channelErrors.invalidChannelId,
  ],
});

export const deleteMessage = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Delete a message',
  description:
    'Deletes a message with its reactions, changes and flags. Everyone may delete the own messages and those of the own bots; further permissions belong to the organization and the channel. Notifications are removed from phones. Files that the message links stay.',
  parameters: { message_id: messageId },
  returns: z.object({}),
  errors: [
    messageErrors.invalidMessage,
    messageErrors.mayNotDelete,
    messageErrors.messageAlreadyDeleted,
  ],
});

export const deleteTopic = endpoint({
  ...common,
  path: '/streams/{stream_id}/delete_topic',
  method: 'POST',
  summary: 'Delete a topic',
  description:
    'Deletes all messages of a topic that the caller may read, the newest first, in small groups. The caller must have the permission to delete any message of the organization or of the channel.',
  parameters: {
    stream_id: identifier('The id of the channel; not archived.'),
    topic_name: text(topicName, {
      description:
        'The topic, without regard to case. `general chat` and `(no topic)` stand for the empty topic.',
    }),
  },
  returns: z.object({
    complete: z
      .boolean()
      .describe('False if messages were left after 50 seconds: repeat the request.'),
  }),
  errors: [channelErrors.invalidChannelId, messageErrors.mayNotDelete],
});
