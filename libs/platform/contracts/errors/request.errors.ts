import { badRequest, defineErrors } from './api-error.js';

/** Errors of the request itself. */
export const requestErrors = defineErrors({
  notFound: {
    code: 'NOT_FOUND',
    status: 404,
    msg: 'Not found',
    when: 'No endpoint has this path.',
  },
  methodNotAllowed: {
    code: 'METHOD_NOT_ALLOWED',
    status: 405,
    msg: 'Method Not Allowed',
    when: 'The path has no such method; `allowed_methods` and the header `Allow` list the supported ones.',
  },
  bodyTooLarge: {
    code: 'BAD_REQUEST',
    status: 413,
    msg: 'The request body is too large (limit: {limit} bytes).',
    when: 'The body of a request is larger than the limit: 1 MiB, or 16 KiB for endpoints without a sign-in.',
  },
  tooManyMembers: {
    code: 'BAD_REQUEST',
    status: 413,
    msg: 'The request has too many parameters (limit: {limit}).',
    when: 'A form or a JSON object has more than 1,000 members, or the objects in a JSON text together have more than 10,000.',
  },
  unsupportedMediaType: {
    code: 'BAD_REQUEST',
    status: 415,
    msg: 'Unsupported media type',
    when: 'The body has another content type than those that the endpoint reads, or a `Content-Encoding`; or a part of a resumable upload has no content type, or an invalid one.',
  },
  requestTimedOut: {
    code: 'REQUEST_TIMEOUT',
    status: 408,
    msg: 'The request did not arrive in time.',
    when: 'The body of a request did not arrive within `HTTP_BODY_SECONDS`, or its headers within 30 seconds. The connection is closed.',
  },
  malformedRequest: badRequest(
    'Malformed request',
    'The request is not valid HTTP: for example a malformed path or multipart body, no `Host` or two, or a field of a multipart form without a name or with that of a member of `Object.prototype` of JavaScript.',
  ),
  notUtf8: badRequest(
    'The body is not encoded in UTF-8',
    'A form or JSON object has bytes of another encoding, such as Latin-1, also as percent-encoded bytes of a form.',
  ),
  malformedJson: {
    code: 'INVALID_JSON',
    status: 400,
    msg: 'Malformed JSON',
    when: 'The content type of the body is JSON, but the body is not a JSON object.',
  },
  idempotencyKeyReused: {
    code: 'IDEMPOTENCY_KEY_REUSED',
    status: 422,
    msg: 'This Idempotency-Key came with another request before. Use a new key for a new request.',
    when: 'The account has used the `Idempotency-Key` for another request.',
  },
  internal: {
    code: 'INTERNAL_SERVER_ERROR',
    status: 500,
    msg: 'Internal server error',
    when: 'A defect of the server. Its log contains the error with the `X-Request-Id` of the response.',
  },
  temporarilyUnavailable: {
    code: 'SERVICE_UNAVAILABLE',
    status: 503,
    msg: 'The service is temporarily unavailable. Try again in a moment.',
    when: 'The database or another program of the server is down, the database lacks a migration, or the server has no memory for the body or the response.',
  },
  rateLimited: {
    code: 'RATE_LIMIT_HIT',
    status: 429,
    msg: 'API usage exceeded rate limit',
    when: 'Too many calls of the account, or of the address without a sign-in, or more than twenty uploads, 64 MiB of unfinished bodies or 64 MiB of unread responses of one of them at a time; `retry-after` is the number of seconds to wait.',
  },
  insufficientStorage: {
    code: 'INSUFFICIENT_STORAGE',
    status: 507,
    msg: 'The server has no room for files at the moment.',
    when: 'The disk is full, or its free space would fall below `MIN_FREE_DISK_MIB`.',
  },
});

/** Errors of parameters. */
export const parameterErrors = defineErrors({
  missingParameter: {
    code: 'REQUEST_VARIABLE_MISSING',
    status: 400,
    msg: "Missing '{name}' argument",
    when: 'A required parameter was not sent; `var_name` names it.',
  },
  invalidParameter: badRequest(
    '{text}',
    'A parameter has the wrong type, format or size; see below.',
  ),
  unsupportedParameter: badRequest(
    "This server does not support the parameter '{name}'.",
    'A parameter asks for something that this server does not do. The description of the endpoint names these parameters; other unknown ones are ignored.',
  ),
});

/** Errors of full lists. */
export const limitErrors = defineErrors({
  accountLimitReached: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'An account may have at most {limit} {what}.',
    when: 'A list of the caller is full; `what` names its items. In the tus protocol the status is 413.',
  },
  organizationLimitReached: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'An organization may have at most {limit} {what}.',
    when: 'A list of the organisation is full; `what` names its items.',
  },
});
