import type { CataloguedError } from '../catalogued-error.js';

/** Lists that are full. */
export const limitErrors = {
  accountLimitReached: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'An account may have at most {limit} {what}.',
  },
  organizationLimitReached: {
    code: 'LIMIT_REACHED',
    status: 400,
    msg: 'An organization may have at most {limit} {what}.',
  },
} as const satisfies Record<string, CataloguedError>;
