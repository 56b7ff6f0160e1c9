import type { CataloguedError } from '../catalogued-error.js';

/** Status of a user. */
export const userStatusErrors = {} as const satisfies Record<string, CataloguedError>;
