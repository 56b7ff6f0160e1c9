import { z } from 'zod';
import { ApiError } from '#contracts';
import { LONGEST_TOKEN } from '#devices';
import { endpoint, limitedText, text } from '#edge';
import { idempotencyKey } from './idempotency-key.js';

export const sendTestNotification = endpoint({
  method: 'POST',
  path: '/mobile_push/test_notification',
  summary: 'Send a test notification',
  description:
    "Sends a test notification to one of the caller's devices, or to all of them. For one device the answer waits a few seconds for what the provider says.",
  tag: 'push devices',
  access: 'user',
  isDeprecated: true,
  parameters: {
    token: text(limitedText(LONGEST_TOKEN).optional(), {
      refusal: () => new ApiError('deviceNotRecognized'),
      description: 'The push token of the device; all devices when left out.',
    }),
    ...idempotencyKey,
  },
  returns: z.object({}),
  errors: ['deviceNotRecognized', 'deviceNotRecognizedByProvider', 'idempotencyKeyReused'],
});
