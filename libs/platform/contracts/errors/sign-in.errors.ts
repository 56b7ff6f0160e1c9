import { badRequest, defineErrors, unauthorized } from './api-error.js';

/** Errors of the sign-in. */
export const signInErrors = defineErrors({
  notLoggedIn: unauthorized(
    'Not logged in: API authentication or user session required',
    'The `Authorization` header is missing. A browser, which accepts `text/html`, is redirected to the login page instead.',
  ),
  basicAuthRequired: badRequest(
    'This endpoint requires HTTP basic authentication.',
    'The `Authorization` header has another scheme.',
  ),
  invalidAuthorizationHeader: unauthorized(
    'Invalid authorization header for basic auth',
    'The header is not Base64 of an email address, one colon and a key.',
  ),
  malformedApiKey: unauthorized('Malformed API key', 'The key is not 32 letters and digits.'),
  invalidApiKey: unauthorized(
    'Invalid API key',
    'No account has this key, or the key belongs to another email address.',
  ),
  accountDeactivated: unauthorized('Account is deactivated', 'The account has been deactivated.'),
  realmDeactivated: unauthorized(
    'This organization has been deactivated',
    "The account's organisation has been deactivated.",
  ),
  wrongSubdomain: unauthorized(
    'Account is not associated with this subdomain',
    'The host of the request belongs to another organisation.',
  ),
  wrongPassword: {
    code: 'AUTHENTICATION_FAILED',
    status: 401,
    msg: 'Your username or password is incorrect',
    when: 'Fetching a key by password: the name or the password is wrong.',
  },
  userDeactivated: {
    code: 'USER_DEACTIVATED',
    status: 401,
    msg: 'Account is deactivated',
    when: 'Fetching a key by password: the account has been deactivated.',
  },
  signInRealmDeactivated: {
    code: 'REALM_DEACTIVATED',
    status: 401,
    msg: 'This organization has been deactivated',
    when: 'Fetching a key by password: the organisation has been deactivated.',
  },
  apiKeyUnavailable: {
    code: 'API_KEY_UNAVAILABLE',
    status: 503,
    msg: 'The API key of this account cannot be given out',
    when: 'Fetching a key by password: the stored key was encrypted with another `API_KEY_SECRET`, or its row was changed.',
  },
  unknownSubdomain: {
    code: 'NONEXISTENT_SUBDOMAIN',
    status: 404,
    msg: 'Invalid subdomain',
    when: 'Fetching a key by password, or the settings of the server: the host belongs to no organisation.',
  },
});
