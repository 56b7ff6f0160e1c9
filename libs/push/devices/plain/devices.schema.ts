import { z } from 'zod';
import { ApiError } from '#platform/contracts';
import { endpoint, json, limitedText, text } from '#platform/http';
import { legacyRelayErrors } from '#push/relay';
import { LONGEST_TOKEN } from './device-token.rules.js';
import { pushErrors } from './devices.errors.js';

/** Apple's limit of bundle ids. */
const LONGEST_APP_ID = 155;

const nothing = z.object({});
const token = text(limitedText(LONGEST_TOKEN), {
  description: 'The push token of the device, at most 4096 characters.',
  refusal: () => new ApiError(pushErrors.invalidLengthToken),
});

const fcmToken = text(limitedText(LONGEST_TOKEN), {
  description: 'The registration token or the installation id, at most 4096 characters.',
  refusal: () => new ApiError(pushErrors.invalidLengthToken),
});

const deprecated = { tag: 'push devices', access: 'user', isDeprecated: true } as const;

export const registerApnsDevice = endpoint({
  ...deprecated,
  method: 'POST',
  path: '/users/me/apns_device_token',
  summary: 'Register an iOS device',
  description:
    'Adds a push token of an iOS device to the caller. A repeated registration is not an error.',
  parameters: {
    token,
    appid: text(limitedText(LONGEST_APP_ID).regex(/^[.a-zA-Z0-9-]+$/), {
      description:
        'The bundle id of the app, at most 155 characters. It is the topic of its notifications.',
    }),
    wants_badge: json(z.boolean().default(false), {
      description:
        'Whether the icon of the app shows the number of unread messages; the last registration of the token counts.',
    }),
  },
  returns: nothing,
  errors: [pushErrors.invalidLengthToken, pushErrors.invalidApnsToken, ...legacyRelayErrors],
});

export const removeApnsDevice = endpoint({
  ...deprecated,
  method: 'DELETE',
  path: '/users/me/apns_device_token',
  summary: 'Remove an iOS device',
  description: 'Removes a push token of an iOS device from the caller.',
  parameters: { token },
  returns: nothing,
  errors: [
    pushErrors.invalidLengthToken,
    pushErrors.invalidApnsToken,
    pushErrors.tokenDoesNotExist,
  ],
});

export const registerFcmDevice = endpoint({
  ...deprecated,
  method: 'POST',
  path: '/users/me/android_gcm_reg_id',
  summary: 'Register an Android device',
  description:
    'Adds a registration token or a Firebase installation id of an Android device to the caller, in place of the other one of the same app. Which of the two it is follows from its form. A repeated registration is not an error.',
  parameters: { token: fcmToken },
  returns: nothing,
  errors: [pushErrors.invalidLengthToken, ...legacyRelayErrors],
});

export const removeFcmDevice = endpoint({
  ...deprecated,
  method: 'DELETE',
  path: '/users/me/android_gcm_reg_id',
  summary: 'Remove an Android device',
  description:
    'Removes a registration token or an installation id of an Android device from the caller.',
  parameters: { token: fcmToken },
  returns: nothing,
  errors: [pushErrors.invalidLengthToken, pushErrors.tokenDoesNotExist],
});
