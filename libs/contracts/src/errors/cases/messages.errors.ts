import type { CataloguedError } from '../catalogued-error.js';

/** Messages. */
export const messageErrors = {} as const satisfies Record<string, CataloguedError>;
