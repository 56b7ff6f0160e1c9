import type { CataloguedError } from '../catalogued-error.js';

/** Custom profile fields. */
export const profileFieldErrors = {} as const satisfies Record<string, CataloguedError>;
