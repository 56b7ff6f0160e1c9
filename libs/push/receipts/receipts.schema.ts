import { z } from 'zod';
import { isRowId } from '#platform/contracts';
import { endpoint, json } from '#platform/http';

/** Of one request. */
const MAX_RECEIPTS = 100;
const UUID_LENGTH = 36;
/** The last second of the year 9999. */
const LATEST = 253_402_300_799;

/** What a phone can say of a notification, in the order in which it happens. */
export const receiptEvents = ['received', 'displayed', 'opened', 'dismissed'] as const;

const receipt = z
  .object({
    notification_id: z.uuid().max(UUID_LENGTH).optional(),
    message_id: z.int().min(1).optional(),
    event: z.enum(receiptEvents),
    time: z.number().min(0).max(LATEST),
  })
  .refine(
    (one) => (one.notification_id === undefined) !== (one.message_id === undefined),
    'expected notification_id or message_id',
  );

/** The id of no device; 0 stands for an app that names none. */
const UNKNOWN_DEVICE = -1;

/** An id outside of the range of the column is the id of no device. */
const deviceId = z
  .int()
  .min(1)
  .transform((id) => (isRowId(id) ? id : UNKNOWN_DEVICE));

export const addReceipts = endpoint({
  method: 'POST',
  path: '/mobile_push/receipts',
  summary: 'Tell what happened to notifications on a phone',
  description:
    'Stores when notifications of the caller arrived on a phone, were displayed, opened or dismissed. The first receipt of each event counts. Those about unknown, foreign or old notifications are ignored. The requests have a limit of their own, and do not count as calls of the account.',
  tag: 'push devices',
  access: 'user',
  chargesOwnLimit: true,
  parameters: {
    receipts: json(z.array(receipt).max(MAX_RECEIPTS), {
      description:
        'At most 100 receipts: `notification_id`, or `message_id` for the first notification of a message; `event` (`received`, `displayed`, `opened` or `dismissed`); `time` (UNIX seconds).',
    }),
    device_id: json(deviceId.optional(), {
      description: 'The id of the device of the caller that tells it, if it has one.',
    }),
  },
  returns: z.object({
    accepted: z.int().describe('The number of receipts about notifications of the caller.'),
    ignored: z.int().describe('The number of the others.'),
  }),
  errors: [],
});
