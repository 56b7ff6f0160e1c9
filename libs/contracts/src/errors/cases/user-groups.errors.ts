import type { CataloguedError } from '../catalogued-error.js';

/** User groups. */
export const userGroupErrors = {} as const satisfies Record<string, CataloguedError>;
