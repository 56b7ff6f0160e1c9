import type { Reply } from './http-request.js';

// The constants are expected responses, for `toMatchObject`.

/** A success without a result. */
export const success = { status: 200, body: { result: 'success', msg: '' } } as const;

/** The error of most refusals, with its text. */
export const badRequest = (msg: string) =>
  ({ status: 400, body: { result: 'error', code: 'BAD_REQUEST', msg } }) as const;

/** The refusal of a request without a sign-in. */
export const notSignedIn = { status: 401, body: { code: 'UNAUTHORIZED' } } as const;

/** The refusal of a request that only administrators may make. */
export const administratorsOnly = {
  status: 400,
  body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' },
} as const;

/** The headers of every answer of the API with which a browser lets pages of other origins read it. */
export const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
  'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
} as const;

/** The id of the row that a request has created; throws unless the request succeeded. */
export function idOf({ status, text, body }: Reply): number {
  if (status !== 200) throw new Error(`${status} ${text}`);
  return Number(body['id']);
}
