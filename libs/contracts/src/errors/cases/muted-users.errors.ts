import type { CataloguedError } from '../catalogued-error.js';

/** Muted users. */
export const mutedUserErrors = {} as const satisfies Record<string, CataloguedError>;
