import { ApiError, badRequest, defineErrors } from '#platform/contracts';

/** Event queues. */
export const queueErrors = defineErrors({
  badEventQueueId: {
    code: 'BAD_EVENT_QUEUE_ID',
    status: 400,
    msg: 'Bad event queue ID: {id}',
    when: 'The queue is unknown, deleted, expired or of another account, or too many or too old events wait in it. The client registers a new one.',
  },
  eventAlreadyPruned: badRequest(
    'An event newer than {id} has already been pruned!',
    'The client has acknowledged a later event.',
  ),
  eventNotInQueue: badRequest(
    'Event {id} was not in this queue',
    'The id is greater than the ids of all events so far.',
  ),
});

/** The error for a queue that is gone: the client registers a new one. */
export const badQueue = (queueId: string): ApiError =>
  new ApiError(queueErrors.badEventQueueId, { id: queueId }, { queue_id: queueId });
