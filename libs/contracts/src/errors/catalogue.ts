/** One error that the API may answer with. `{name}` in a text stands for a value of the case. */
export interface CataloguedError {
  /** What clients compare; never renamed and never used again for something else. */
  readonly code: string;
  readonly status: number;
  readonly msg: string;
}

const badRequest = (msg: string): CataloguedError => ({ code: 'BAD_REQUEST', status: 400, msg });
const unauthorized = (msg: string): CataloguedError => ({ code: 'UNAUTHORIZED', status: 401, msg });

/**
 * Every error of the API: the one place that joins a case to its code, status and text.
 * docs/errors.md is written for people from the same list, and a test compares the two.
 */
export const errorCatalogue = {
  // The request as such
  notFound: { code: 'NOT_FOUND', status: 404, msg: 'Not found' },
  methodNotAllowed: { code: 'METHOD_NOT_ALLOWED', status: 405, msg: 'Method Not Allowed' },
  bodyTooLarge: {
    code: 'BAD_REQUEST',
    status: 413,
    msg: 'The request body is too large (limit: {limit} bytes).',
  },
  malformedRequest: badRequest('Malformed request'),
  malformedJson: { code: 'INVALID_JSON', status: 400, msg: 'Malformed JSON' },
  internal: { code: 'INTERNAL_SERVER_ERROR', status: 500, msg: 'Internal server error' },
  temporarilyUnavailable: {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    msg: 'The service is temporarily unavailable. Try again in a moment.',
  },
  rateLimited: { code: 'RATE_LIMIT_HIT', status: 429, msg: 'API usage exceeded rate limit' },

  // Parameters
  missingParameter: {
    code: 'REQUEST_VARIABLE_MISSING',
    status: 400,
    msg: "Missing '{name}' argument",
  },
  invalidParameter: badRequest('{text}'),

  // Signing in
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
  unknownSubdomain: { code: 'NONEXISTENT_SUBDOMAIN', status: 404, msg: 'Invalid subdomain' },

  // Roles
  mustBeAdministrator: {
    code: 'UNAUTHORIZED_PRINCIPAL',
    status: 400,
    msg: 'Must be an organization administrator',
  },
  notAllowedForGuests: badRequest('Not allowed for guest users'),

  // Presence
  invalidPresenceStatus: badRequest('Invalid status: {status}'),

  // Push
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

export type ErrorName = keyof typeof errorCatalogue;
