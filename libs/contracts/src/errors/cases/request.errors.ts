import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** The request itself. */
export const requestErrors = {
  notFound: { code: 'NOT_FOUND', status: 404, msg: 'Not found' },
  methodNotAllowed: { code: 'METHOD_NOT_ALLOWED', status: 405, msg: 'Method Not Allowed' },
  bodyTooLarge: {
    code: 'BAD_REQUEST',
    status: 413,
    msg: 'The request body is too large (limit: {limit} bytes).',
  },
  tooManyMembers: {
    code: 'BAD_REQUEST',
    status: 413,
    msg: 'The request has too many parameters (limit: {limit}).',
  },
  unsupportedMediaType: { code: 'BAD_REQUEST', status: 415, msg: 'Unsupported media type' },
  requestTimedOut: {
    code: 'REQUEST_TIMEOUT',
    status: 408,
    msg: 'The request did not arrive in time.',
  },
  malformedRequest: badRequest('Malformed request'),
  malformedJson: { code: 'INVALID_JSON', status: 400, msg: 'Malformed JSON' },
  idempotencyKeyReused: {
    code: 'IDEMPOTENCY_KEY_REUSED',
    status: 422,
    msg: 'This Idempotency-Key came with another request before. Use a new key for a new request.',
  },
  internal: { code: 'INTERNAL_SERVER_ERROR', status: 500, msg: 'Internal server error' },
  temporarilyUnavailable: {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    msg: 'The service is temporarily unavailable. Try again in a moment.',
  },
  rateLimited: { code: 'RATE_LIMIT_HIT', status: 429, msg: 'API usage exceeded rate limit' },
} as const satisfies Record<string, CataloguedError>;
