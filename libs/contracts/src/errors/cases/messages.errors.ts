import { badRequest, type CataloguedError } from '../catalogued-error.js';

const streamDoesNotExist = (msg: string) =>
  ({ code: 'STREAM_DOES_NOT_EXIST', status: 400, msg }) as const;

/** Messages. */
export const messageErrors = {
  invalidMessage: badRequest('Invalid message(s)'),
  emptyMessage: badRequest('Message must not be empty'),
  invalidDestination: badRequest('A channel must be given by its ID or by its name'),
  channelNameDoesNotExist: streamDoesNotExist("Channel '{name}' does not exist"),
  channelIdDoesNotExist: streamDoesNotExist("Channel with ID '{id}' does not exist"),
  mayNotSendToChannel: badRequest("Not authorized to send to channel '{name}'"),
  mayNotCreateTopic: badRequest("Not authorized to create new topics in channel '{name}'"),
  topicRequired: badRequest("Channel '{name}' requires a topic"),
  topicNotAllowed: badRequest("Channel '{name}' does not allow topics"),
  invalidRecipients: badRequest(
    'Recipients must be a list of user IDs or a list of email addresses',
  ),
  mixedRecipients: badRequest('Recipients must be either user IDs or email addresses, not both'),
  noRecipients: badRequest('Message must have recipients'),
  tooManyRecipients: badRequest('Too many recipients (limit: {limit})'),
  invalidRecipientId: badRequest('Invalid user ID {id}'),
  invalidRecipientEmail: badRequest("Invalid email '{email}'"),
  recipientDeactivated: badRequest("'{email}' is no longer using this service."),
  mayNotMentionGroup: badRequest("You are not allowed to mention user group '{name}'."),
  invalidFlag: badRequest("Invalid flag: '{flag}'"),
  flagNotEditable: badRequest("Flag not editable: '{flag}'"),
  invalidFlagOperation: badRequest("Invalid message flag operation: '{operation}'"),
} as const satisfies Record<string, CataloguedError>;
