import { z } from 'zod';
import { ApiError, requestErrors } from '#platform/contracts';
import { endpoint, limitedText, text } from '#platform/http';
import { idempotencyKey } from '#platform/idempotency/endpoints';
import { LONGEST_TOKEN, pushErrors } from '#push/devices';

export const sendTestNotification = endpoint({
  method: 'POST',
  path: '/mobile_push/test_notification',
  summary: 'Send a test notification',
  description:
    "Sends a test notification to one device of the caller, or to all of them. For one device the response waits a few seconds for the provider's answer.",
  tag: 'push devices',
  access: 'user',
  isDeprecated: true,
  parameters: {
    token: text(limitedText(LONGEST_TOKEN).optional(), {
      refusal: () => new ApiError(pushErrors.deviceNotRecognized),
      description: 'The push token of the device; all devices if left out.',
    }),
    ...idempotencyKey,
  },
  returns: z.object({}),
  errors: [
    pushErrors.deviceNotRecognized,
    pushErrors.deviceNotRecognizedByProvider,
    requestErrors.idempotencyKeyReused,
  ],
});
