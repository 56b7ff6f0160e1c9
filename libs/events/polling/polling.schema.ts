import { z } from 'zod';
import { quoted } from '#platform/contracts';
import { endpoint, json, limitedText, text } from '#platform/http';
import { badQueue, queueErrors } from '#events/queues';

const LONGEST_QUEUE_ID = 100;

const queueId = text(limitedText(LONGEST_QUEUE_ID), {
  description: 'The `queue_id` of `POST /register`.',
  // Clients register again only after this error.
  refusal: (given) => badQueue(quoted(given)),
});

export const getEvents = endpoint({
  tag: 'events',
  access: 'user',
  method: 'GET',
  path: '/events',
  summary: 'Get events',
  description:
    'Returns the events after the last one, at most 1,000 or 1 MiB. Without any, the request waits for one; after 45 to 55 seconds it is answered with an event of the type `heartbeat`. A newer request for the same queue ends an older one with an empty list.',
  chargesOwnLimit: true,
  parameters: {
    queue_id: queueId,
    last_event_id: json(z.int().min(-1), {
      description:
        'The highest id of an event that the client has processed, at first `last_event_id` of `POST /register`. Events up to it are not sent again.',
    }),
    dont_block: json(z.boolean().default(false), {
      description: 'Whether the request is answered at once, also without events.',
    }),
  },
  largestAnswerBytes: 2_000_000,
  returns: z.object({
    events: z.array(z.looseObject({ type: z.string(), id: z.int() })),
    queue_id: z.string(),
  }),
  errors: [
    queueErrors.badEventQueueId,
    queueErrors.eventAlreadyPruned,
    queueErrors.eventNotInQueue,
  ],
});

export const deleteQueue = endpoint({
  tag: 'events',
  access: 'user',
  method: 'DELETE',
  path: '/events',
  summary: 'Delete an event queue',
  description: 'Deletes a queue of the caller, and ends a request that waits for its events.',
  parameters: { queue_id: queueId },
  returns: z.object({}),
  errors: [queueErrors.badEventQueueId],
});
