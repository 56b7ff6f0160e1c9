import { badRequest, unauthorized, type CataloguedError } from '../catalogued-error.js';

/** Signing in. */
export const signInErrors = {
  notLoggedIn: unauthorized('Not logged in: API authentication or user session required'),
  basicAuthRequired: badRequest('This endpoint requires HTTP basic authentication.'),
  invalidAuthorizationHeader: unauthorized('Invalid authorization header for basic auth'),
  malformedApiKey: unauthorized('Malformed API key'),
  invalidApiKey: unauthorized('Invalid API key'),
  accountDeactivated: unauthorized('Account is deactivated'),
  realmDeactivated: unauthorized('This organization has been deactivated'),
  wrongSubdomain: unauthorized('Account is not associated with this subdomain'),
  wrongPassword: {
    code: 'AUTHENTICATION_FAILED',
    status: 401,
    msg: 'Your username or password is incorrect',
  },
  userDeactivated: { code: 'USER_DEACTIVATED', status: 401, msg: 'Account is deactivated' },
  signInRealmDeactivated: {
    code: 'REALM_DEACTIVATED',
    status: 401,
    msg: 'This organization has been deactivated',
  },
  apiKeyUnavailable: {
    code: 'API_KEY_UNAVAILABLE',
    status: 503,
    msg: 'The API key of this account cannot be given out',
  },
  unknownSubdomain: { code: 'NONEXISTENT_SUBDOMAIN', status: 404, msg: 'Invalid subdomain' },
} as const satisfies Record<string, CataloguedError>;
