import { badRequest, defineErrors, EMPTY_TOPIC_NAME } from '#platform/contracts';

const streamDoesNotExist = (msg: string, when: string) =>
  ({ code: 'STREAM_DOES_NOT_EXIST', status: 400, msg, when }) as const;

export const messageErrors = defineErrors({
  invalidMessage: badRequest(
    'Invalid message(s)',
    'The organisation has no message with this id, or the caller may not read it.',
  ),
  emptyMessage: badRequest(
    'Message must not be empty',
    'The content of a message has only white space.',
  ),
  invalidDestination: badRequest(
    'A channel must be given by its ID or by its name',
    'A message to a channel names no channel, or several.',
  ),
  channelNameDoesNotExist: streamDoesNotExist(
    "Channel '{name}' does not exist",
    'The channel of a message does not exist, or the sender may not see it; `stream` is its name.',
  ),
  channelIdDoesNotExist: streamDoesNotExist(
    "Channel with ID '{id}' does not exist",
    'The same for a channel that is given by id; `stream_id` is its id.',
  ),
  mayNotSendToChannel: badRequest(
    "Not authorized to send to channel '{name}'",
    'The sender may see the channel but not send to it, or it is archived.',
  ),
  mayNotCreateTopic: badRequest(
    "Not authorized to create new topics in channel '{name}'",
    'The topic has no messages yet, and the sender may not create topics.',
  ),
  topicRequired: badRequest(
    `Sending messages to the ${EMPTY_TOPIC_NAME} is not allowed in this channel.`,
    'The message has the empty topic, and the policy of the channel or of the organisation requires a topic.',
  ),
  topicNotAllowed: badRequest(
    `Only the ${EMPTY_TOPIC_NAME} topic is allowed in this channel.`,
    'The channel allows only messages with the empty topic.',
  ),
  invalidRecipients: badRequest(
    'Recipients must be a list of user IDs or a list of email addresses',
    'The recipients of a direct message have another form.',
  ),
  mixedRecipients: badRequest(
    'Recipients must be either user IDs or email addresses, not both',
    'Some recipients are given by id and others by address.',
  ),
  noRecipients: badRequest('Message must have recipients', 'The list of recipients is empty.'),
  tooManyRecipients: badRequest(
    'Too many recipients (limit: {limit})',
    'A direct message has too many recipients.',
  ),
  invalidRecipientId: badRequest(
    'Invalid user ID {id}',
    'The organisation has no such account, or the sender may not see it.',
  ),
  invalidRecipientEmail: badRequest(
    "Invalid email '{email}'",
    'The same for a recipient that is given by address.',
  ),
  recipientDeactivated: badRequest(
    "'{email}' is no longer using this service.",
    'A recipient has been deactivated.',
  ),
  mayNotMentionGroup: badRequest(
    "You are not allowed to mention user group '{name}'.",
    'A message mentions a group that its sender may not mention.',
  ),
  invalidFlag: badRequest("Invalid flag: '{flag}'", 'The flag does not exist.'),
  flagNotEditable: badRequest(
    "Flag not editable: '{flag}'",
    'The server sets the flag itself, or does not support it.',
  ),
  invalidFlagOperation: badRequest(
    "Invalid message flag operation: '{operation}'",
    'The operation is neither `add` nor `remove`.',
  ),
});
