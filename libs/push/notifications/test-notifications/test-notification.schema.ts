import { z } from 'zod';
import { ApiError, isRowId, requestErrors } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { idempotencyKey } from '#platform/idempotency/endpoints';
import { clientDeviceErrors, LONGEST_TOKEN, pushErrors, webPushErrors } from '#push/devices';
import { legacyRelayErrors, relayErrors } from '#push/relay';

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
    ...legacyRelayErrors,
    requestErrors.idempotencyKeyReused,
  ],
});

/** An id outside of the range of the column is the id of no device. */
const deviceId = z.preprocess((given) => (isOddId(given) ? 0 : given), z.int().optional());

const isOddId = (given: unknown): boolean => Number.isInteger(given) && !isRowId(Number(given));

export const sendEncryptedTestNotification = endpoint({
  method: 'POST',
  path: '/mobile_push/e2ee/test_notification',
  summary: 'Send an encrypted test notification',
  description:
    'Sends a test notification to one client device of the caller, or to all of them that have a registered token. The response does not wait for the provider: a token that turns out dead is removed with an event.',
  tag: 'push devices',
  access: 'user',
  parameters: {
    device_id: json(deviceId.meta({ type: 'integer' }), {
      description: 'The id of the device; all devices if left out.',
    }),
  },
  returns: z.object({}),
  errors: [
    clientDeviceErrors.noActivePushDevice,
    relayErrors.failedToConnect,
    relayErrors.internalErrorOfService,
    relayErrors.adminActionRequired,
  ],
});

export const sendWebPushTestNotification = endpoint({
  method: 'POST',
  path: '/users/me/web_push_subscription/test_notification',
  summary: 'Send a test notification by Web Push',
  description:
    'Sends a test notification to an active Web Push subscription of the caller. The response does not wait for the push service.',
  tag: 'push devices',
  access: 'user',
  parameters: { subscription_id: identifier('The id of a subscription of the caller.') },
  returns: z.object({}),
  errors: [webPushErrors.noWebPushSubscription],
});
