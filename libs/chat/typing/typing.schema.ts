import { channelErrors } from '#chat/channels';
import { messageErrors } from '#chat/messages';
import { destinationType } from '#chat/messages/endpoints';
import { ApiError, longestTexts, parameterErrors } from '#platform/contracts';
import { endpoint, json, limitedText, messageId, text } from '#platform/http';
import { z } from 'zod';
import { typingErrors } from './typing.errors.js';

const common = { tag: 'messages', access: 'user', method: 'POST' } as const;

/** As many as a direct message may have. */
const MAX_RECIPIENTS = 1000;

const op = text(z.enum(['start', 'stop']), {
  description: 'Whether the caller begins or stops to type.',
  refusal: () => new ApiError(typingErrors.invalidTypingOperation),
});

export const postTyping = endpoint({
  ...common,
  path: '/typing',
  summary: 'Report that the caller is typing',
  description:
    'Informs the others of a direct conversation, or the subscribers of a channel, that the caller is typing. Nothing is stored: clients that poll at that moment get an event. No one is informed in channels with more than 100 subscribers and in conversations with more than 100 members, and no account that has switched `receives_typing_notifications` off.',
  parameters: {
    op,
    type: text(destinationType.default('direct'), {
      description: 'Whether the message is for people or for a channel.',
    }),
    to: json(z.array(z.int()).max(MAX_RECIPIENTS).optional(), {
      description: 'The ids of the recipients of a direct message.',
    }),
    stream_id: json(z.int().optional(), { description: 'The id of the channel.' }),
    topic: text(limitedText(longestTexts.topic).optional(), {
      description: 'The topic of the message in the channel.',
    }),
  },
  returns: z.object({}),
  errors: [
    typingErrors.invalidTypingOperation,
    typingErrors.emptyTypingRecipients,
    typingErrors.typingTopicMissing,
    typingErrors.directTypingDisabled,
    typingErrors.channelTypingDisabled,
    messageErrors.invalidRecipientId,
    messageErrors.recipientDeactivated,
    channelErrors.invalidChannelId,
    parameterErrors.missingParameter,
  ],
});

const editTyping = {
  ...common,
  parameters: { message_id: messageId, op },
  returns: z.object({}),
  errors: [
    typingErrors.invalidTypingOperation,
    typingErrors.directTypingDisabled,
    typingErrors.channelTypingDisabled,
    messageErrors.invalidMessage,
    messageErrors.mayNotEdit,
  ],
} as const;

export const postEditTyping = endpoint({
  ...editTyping,
  path: '/messages/{message_id}/typing',
  summary: 'Report that the caller is editing a message',
  description: 'The same for a message of the caller that the caller is editing.',
});

export const postOlderEditTyping = endpoint({
  ...editTyping,
  path: '/message_edit_typing/{message_id}',
  isDeprecated: true,
  summary: 'Report that the caller is editing a message',
  description: 'The same as `POST /messages/{message_id}/typing`, under the path of older clients.',
});
