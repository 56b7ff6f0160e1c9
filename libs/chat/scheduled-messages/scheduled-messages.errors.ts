import { badRequest, defineErrors } from '#platform/contracts';

/** Scheduled messages. */
export const scheduledMessageErrors = defineErrors({
  scheduledMessageDoesNotExist: {
    code: 'BAD_REQUEST',
    status: 404,
    msg: 'Scheduled message does not exist',
    when: 'The caller has no scheduled message with this id, or it has been sent. The one of another account gets the same error.',
  },
  deliveryTimeNotInFuture: {
    code: 'DELIVERY_TIME_NOT_IN_FUTURE',
    status: 400,
    msg: 'Scheduled delivery time must be in the future.',
    when: 'The time has passed; or a message that could not be sent is changed without a new time.',
  },
  destinationRequired: badRequest(
    'Recipient required when updating type of scheduled message.',
    'The type of a scheduled message is changed without `to`.',
  ),
  topicRequiredForChannel: badRequest(
    'Topic required when updating scheduled message type to channel.',
    'A message to people becomes one to a channel without `topic`.',
  ),
});
