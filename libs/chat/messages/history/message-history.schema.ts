import { endpoint, json, messageId } from '#platform/http';
import { z } from 'zod';
import { messageErrors } from '../messages.errors.js';
import { messageVersion } from './message-history.response.js';

const common = { tag: 'messages', access: 'user', method: 'GET' } as const;

export const getMessageHistory = endpoint({
  ...common,
  path: '/messages/{message_id}/history',
  summary: 'Fetch the versions of a message',
  description:
    'Returns a message as it was sent and after each change of content, topic and channel, oldest first; at most its newest 50 changes, of 4 MB together. Everyone who may read the message may read its versions, but none from before it came from a channel that the reader cannot read, or whose history is hidden from the reader.',
  parameters: {
    message_id: messageId,
    allow_empty_topic_name: json(z.boolean().default(false), {
      description:
        'Whether the empty topic is returned as an empty string. Otherwise it is returned as `general chat`.',
    }),
  },
  largestAnswerBytes: 6_000_000,
  takesAnswerSlot: true,
  returns: z.object({ message_history: z.array(messageVersion) }),
  errors: [messageErrors.invalidMessage],
});

export const getReadReceipts = endpoint({
  ...common,
  path: '/messages/{message_id}/read_receipts',
  summary: 'Fetch the readers of a message',
  description:
    'Returns the accounts that have read a message, without its sender, deactivated accounts, accounts that do not want to tell (`send_read_receipts`), and accounts that mute the caller or that the caller mutes.',
  parameters: { message_id: messageId },
  returns: z.object({ user_ids: z.array(z.int()).describe('In ascending order.') }),
  errors: [messageErrors.invalidMessage],
});
