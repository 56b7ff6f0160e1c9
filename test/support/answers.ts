/** What tests expect of answers, in the form of `toMatchObject`. */

/** A success that tells nothing. */
export const success = { status: 200, body: { result: 'success', msg: '' } } as const;

/** The error of most refusals, with its text. */
export const badRequest = (msg: string) =>
  ({ status: 400, body: { result: 'error', code: 'BAD_REQUEST', msg } }) as const;

/** Nobody was signed in. */
export const notSignedIn = { status: 401, body: { code: 'UNAUTHORIZED' } } as const;

/** What only administrators may do. */
export const administratorsOnly = {
  status: 400,
  body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization administrator' },
} as const;
