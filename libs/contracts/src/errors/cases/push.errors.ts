import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Push devices and notifications. */
export const pushErrors = {
  invalidLengthToken: badRequest('Empty or invalid length token'),
  invalidApnsToken: badRequest('Invalid APNS token'),
  tokenDoesNotExist: badRequest('Token does not exist'),
  deviceNotRecognized: {
    code: 'INVALID_PUSH_DEVICE_TOKEN',
    status: 400,
    msg: 'Device not recognized',
  },
  deviceNotRecognizedByProvider: {
    code: 'INVALID_REMOTE_PUSH_DEVICE_TOKEN',
    status: 400,
    msg: 'Device not recognized by the push bouncer',
  },
} as const satisfies Record<string, CataloguedError>;
