import { z } from 'zod';
import { endpoint, text } from '#edge';
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
    token: text(z.string().optional(), {
      description: 'The push token of the device; all devices when left out.',
    }),
    ...idempotencyKey,
  },
  returns: z.object({}),
  errors: ['deviceNotRecognized', 'deviceNotRecognizedByProvider', 'idempotencyKeyReused'],
});
