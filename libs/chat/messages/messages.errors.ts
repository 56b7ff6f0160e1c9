import { badRequest, defineErrors, EMPTY_TOPIC_NAME } from '#platform/contracts';

const channelDoesNotExist = (msg: string, when: string) =>
  ({ code: 'STREAM_DOES_NOT_EXIST', status: 400, msg, when }) as const;

export const messageErrors = defineErrors({
  invalidMessage: badRequest(
    'Invalid message(s)',
    'The organisation has no message with this id, or the caller cannot read it.',
  ),
  messageAlreadyDeleted: badRequest(
    'Message already deleted',
    'The message was deleted while the request was handled.',
  ),
  mayNotDelete: badRequest(
    "You don't have permission to delete this message",
    'The caller did not send the message, and cannot delete those of others; or deletes a topic without the permission to delete any message.',
  ),
  nothingToChange: badRequest(
    'Nothing to change',
    'A request to change a message has no change, or only the topic or channel that the message has.',
  ),
  mayNotEdit: badRequest(
    "You don't have permission to edit this message",
    'Only its sender may change the content of a message.',
  ),
  contentChanged: {
    code: 'EXPECTATION_MISMATCH',
    status: 400,
    msg: "'prev_content_sha256' value does not match the expected value.",
    when: 'The content of the message is not the one that the client has edited.',
  },
  mayNotMove: badRequest(
    "You don't have permission to move this message",
    'Moving within a channel is for accounts that may send to it, and moving to another channel is not for guests.',
  ),
  topicLimitPassed: badRequest(
    "The time limit for editing this message's topic has passed.",
    'The message is older than a week, and the caller is neither moderator nor administrator. Resolving a topic has no limit.',
  ),
  channelLimitPassed: badRequest(
    "The time limit for editing this message's channel has passed.",
    'The same for a move to another channel.',
  ),
  moveLimitExceeded: {
    code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    status: 400,
    msg: 'You only have permission to move the {allowed}/{total} most recent messages in this topic.',
    when: 'Some messages of the topic are too old to be moved by the caller; `first_message_id_allowed_to_move`, `total_messages_in_topic` and `total_messages_allowed_to_move` tell which may be moved.',
  },
  tooManyMessagesToMove: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'At most {limit} messages can be moved at once.',
    when: 'The topic has more messages; or the new channel hides its history, and the messages would be given to too many subscribers; or they would be taken away from too many readers, who cannot read the new channel.',
  },
  directMessageTopic: badRequest(
    'Direct messages cannot have topics.',
    'A request to change a direct message has a topic.',
  ),
  directMessageToChannel: badRequest(
    'Direct messages cannot be moved to channels.',
    'A request to change a direct message has a channel.',
  ),
  propagationWithoutMove: badRequest(
    'Invalid propagate_mode without topic edit',
    'The request concerns several messages, but changes neither topic nor channel.',
  ),
  contentAndChannel: badRequest(
    'Cannot change message content while changing channel',
    'A request changes content and channel of a message.',
  ),
  generalChatResolved: badRequest(
    'General chat cannot be marked as resolved',
    'A request to change a message has only the mark of resolved topics as the topic, or the mark before a name of the empty topic.',
  ),
  widgetEdited: badRequest(
    'Widgets cannot be edited.',
    'A request changes the content of a message with a poll or a to-do list.',
  ),
  notAWidget: badRequest(
    'You cannot attach a submessage to this message.',
    'The message has neither a poll nor a to-do list.',
  ),
  submessageNotJson: badRequest(
    'Invalid json for submessage',
    'The data for a widget is not JSON.',
  ),
  unknownWidgetData: badRequest(
    'Unknown type for {widget} data: {type}',
    'The data has a type that the widget does not have.',
  ),
  invalidWidgetData: badRequest(
    'Invalid {widget} data',
    'The data has not the members of its type.',
  ),
  notAuthorOfWidget: badRequest(
    "You can't edit this unless you are the author.",
    'Only the author of a widget may change its question or title.',
  ),
  tooManySubmessages: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'A message may have at most {limit} submessages.',
    when: 'The widget has reached the limit of its data.',
  },
  submessagesTooLarge: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'The submessages of a message may have at most {limit} bytes.',
    when: 'The data of the widget would be too large together.',
  },
  emptyMessage: badRequest(
    'Message must not be empty',
    'The content of a message has only white space.',
  ),
  invalidDestination: badRequest(
    'A channel must be given by its ID or by its name',
    'A message to a channel names no channel, or several.',
  ),
  channelNameDoesNotExist: channelDoesNotExist(
    "Channel '{name}' does not exist",
    'The channel of a message does not exist, or the sender cannot see it; `stream` is its name.',
  ),
  channelIdDoesNotExist: channelDoesNotExist(
    "Channel with ID '{id}' does not exist",
    'The same for a channel that is given by id; `stream_id` is its id.',
  ),
  mayNotSendToChannel: badRequest(
    "Not authorized to send to channel '{name}'",
    'The sender may see the channel but not send to it, or it is archived.',
  ),
  mayNotCreateTopic: badRequest(
    "Not authorized to create new topics in channel '{name}'",
    'The topic has no messages yet, and the sender cannot create topics.',
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
    'The organisation has no such account, or the sender cannot see it.',
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
    'A message mentions a group that its sender cannot mention.',
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
