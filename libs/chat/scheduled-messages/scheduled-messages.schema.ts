import { z } from 'zod';
import { messageTopic } from '#chat/channels/endpoints';
import { messageErrors } from '#chat/messages';
import { destinationType, messageContent } from '#chat/messages/endpoints';
import { limitErrors } from '#platform/contracts';
import { endpoint, identifier, json, text } from '#platform/http';
import { scheduledMessageErrors } from './scheduled-messages.errors.js';
import { scheduledMessageResponse } from './scheduled-messages.response.js';

const MAX_RECIPIENTS = 1000;
/** The last second of the year 9999. */
const LATEST = 253_402_300_799;

const nothing = z.object({});
const common = { tag: 'scheduled messages', access: 'user' } as const;

const typeNotes = {
  description:
    'Whether the message is for people or for a channel; `private` and `stream` are the older names of `direct` and `channel`.',
};
const to = z.union([z.int(), z.array(z.int()).max(MAX_RECIPIENTS)]);
const toNotes = { description: 'The id of the channel, or a list of the ids of the recipients.' };
const contentNotes = {
  description:
    'Markdown; not blank. More than 10000 characters are shortened as in `POST /messages`.',
};
const topicNotes = {
  description: 'The topic, shortened as in `POST /messages`; ignored for a message to people.',
};
const time = z.int().min(0).max(LATEST);
const timeNotes = { description: 'The UNIX seconds at which the message is sent; in the future.' };

const messageId = identifier('The id of a scheduled message of the caller.');

const contentErrors = [
  messageErrors.emptyMessage,
  messageErrors.invalidDestination,
  messageErrors.channelIdDoesNotExist,
  messageErrors.mayNotSendToChannel,
  messageErrors.mayNotCreateTopic,
  messageErrors.topicRequired,
  messageErrors.topicNotAllowed,
  messageErrors.noRecipients,
  messageErrors.invalidRecipientId,
  messageErrors.recipientDeactivated,
  messageErrors.mayNotMentionGroup,
  scheduledMessageErrors.deliveryTimeNotInFuture,
];

export const listScheduledMessages = endpoint({
  ...common,
  method: 'GET',
  path: '/scheduled_messages',
  summary: 'List the scheduled messages',
  description:
    "Returns the caller's messages that were not sent yet, or could not be sent, in the order of their times.",
  parameters: {},
  largestAnswerBytes: 4_100_000,
  takesAnswerSlot: true,
  returns: z.object({ scheduled_messages: z.array(scheduledMessageResponse) }),
  errors: [],
});

export const createScheduledMessage = endpoint({
  ...common,
  method: 'POST',
  path: '/scheduled_messages',
  summary: 'Schedule a message',
  description:
    'Schedules a message, which is checked now and when it is sent. It fails if it cannot be sent within ten minutes of its time.',
  parameters: {
    type: text(destinationType, typeNotes),
    to: json(to, toNotes),
    content: text(messageContent, contentNotes),
    topic: text(messageTopic.optional(), topicNotes),
    scheduled_delivery_timestamp: json(time, timeNotes),
    read_by_sender: json(z.boolean().default(true), {
      description: 'Whether the message is stored as read for the sender.',
    }),
  },
  returns: z.object({ scheduled_message_id: z.int() }),
  errors: [...contentErrors, limitErrors.accountLimitReached],
});

export const editScheduledMessage = endpoint({
  ...common,
  method: 'PATCH',
  path: '/scheduled_messages/{scheduled_message_id}',
  summary: 'Edit a scheduled message',
  description:
    'Changes a scheduled message. Missing parameters leave their values unchanged. A message that could not be sent is scheduled again, and needs a new time.',
  parameters: {
    scheduled_message_id: messageId,
    type: text(destinationType.optional(), {
      description: `${typeNotes.description} A new type needs \`to\`, that of a channel also \`topic\`.`,
    }),
    to: json(to.optional(), toNotes),
    content: text(messageContent.optional(), contentNotes),
    topic: text(messageTopic.optional(), topicNotes),
    scheduled_delivery_timestamp: json(time.optional(), timeNotes),
  },
  returns: nothing,
  errors: [
    scheduledMessageErrors.scheduledMessageDoesNotExist,
    scheduledMessageErrors.destinationRequired,
    scheduledMessageErrors.topicRequiredForChannel,
    ...contentErrors,
    limitErrors.accountLimitReached,
  ],
});

export const deleteScheduledMessage = endpoint({
  ...common,
  method: 'DELETE',
  path: '/scheduled_messages/{scheduled_message_id}',
  summary: 'Delete a scheduled message',
  description: 'Deletes a scheduled message of the caller, so that it is not sent.',
  parameters: { scheduled_message_id: messageId },
  returns: nothing,
  errors: [scheduledMessageErrors.scheduledMessageDoesNotExist],
});
