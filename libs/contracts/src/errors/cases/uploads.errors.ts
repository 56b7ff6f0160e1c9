import type { CataloguedError } from '../catalogued-error.js';

/** Uploads. */
export const uploadErrors = {} as const satisfies Record<string, CataloguedError>;
