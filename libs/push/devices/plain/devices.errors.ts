import { badRequest, defineErrors } from '#platform/contracts';

/** Push devices and notifications. */
export const pushErrors = defineErrors({
  invalidLengthToken: badRequest(
    'Empty or invalid length token',
    "A push token is empty or longer than any provider's.",
  ),
  invalidApnsToken: badRequest(
    'Invalid APNS token',
    'A token of an Apple device is not hexadecimal.',
  ),
  tokenDoesNotExist: badRequest(
    'Token does not exist',
    'The token to be removed is not registered by this account.',
  ),
  deviceNotRecognized: {
    code: 'INVALID_PUSH_DEVICE_TOKEN',
    status: 400,
    msg: 'Device not recognized',
    when: 'A test notification for a device that this account has not registered.',
  },
  deviceNotRecognizedByProvider: {
    code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN',
    status: 400,
    msg: 'Device not recognized by the push bouncer',
    when: 'A test notification for a device that Apple or Google no longer know.',
  },
});
