import { badRequest, defineErrors } from '#platform/contracts';

/** Client devices and their registration for encrypted notifications. */
export const clientDeviceErrors = defineErrors({
  invalidDeviceId: badRequest(
    'Invalid `device_id`',
    'The caller has no client device with this id. The device of another account gets the same error.',
  ),
  tooManyClientDevices: badRequest(
    'Too many registered devices',
    'The account has 256 client devices of its present API key, and each of them has a push token or a pending registration.',
  ),
  pushServiceNotConfigured: {
    code: 'PUSH_SERVICE_NOT_CONFIGURED',
    status: 400,
    msg: 'Server is not configured to use push notification service.',
    when: 'There is no `PUSH_KEY_SECRET`, or no key of `carillon push-keys`.',
  },
  incompleteRegistration: badRequest(
    'Missing parameters: must provide either all push key fields, all token fields, or both.',
    'A registration has neither all fields of a push key nor all of a token.',
  ),
  noKeyToRotate: badRequest(
    'No push registration exists to rotate key for.',
    'A registration without a token, of a device that has no push key yet.',
  ),
  noRegistrationToRotate: badRequest(
    'No push registration exists to rotate token for.',
    'A registration without a push key, of a device that has none yet.',
  ),
  invalidPushKey: badRequest(
    'Invalid `push_key`',
    'A push key is not the byte 0x31 and 32 further bytes in base64.',
  ),
  registrationInProgress: badRequest(
    'A registration for the device already in progress.',
    'The last registration of a token is younger than 24 hours and has no answer yet.',
  ),
  tokenIdNotBase64: badRequest(
    '`token_id` is not Base64 encoded',
    'A token id is not in the standard alphabet of base64 with padding.',
  ),
  invalidTokenId: badRequest('Invalid `token_id`', 'A token id is not 8 bytes long.'),
  noActivePushDevice: {
    code: 'NO_ACTIVE_PUSH_DEVICE',
    status: 400,
    msg: 'No active registered push device',
    when: 'An encrypted test notification for a device that has no registered token, or for an account without such devices.',
  },
});
