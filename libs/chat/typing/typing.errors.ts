import { badRequest, defineErrors } from '#platform/contracts';

export const typingErrors = defineErrors({
  emptyTypingRecipients: badRequest(
    "Empty 'to' list",
    'A notification of typing a direct message has no recipients.',
  ),
  typingTopicMissing: badRequest(
    'Missing topic',
    'A notification of typing in a channel has no topic.',
  ),
  invalidTypingOperation: badRequest(
    'Invalid op',
    'The operation of a notification of typing is neither `start` nor `stop`.',
  ),
  directTypingDisabled: badRequest(
    'User has disabled typing notifications for direct messages',
    'The setting `send_private_typing_notifications` of the caller is off.',
  ),
  channelTypingDisabled: badRequest(
    'User has disabled typing notifications for channel messages',
    'The setting `send_stream_typing_notifications` of the caller is off.',
  ),
});
