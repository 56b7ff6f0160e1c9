import type { CataloguedError } from '../catalogued-error.js';

/** Code playgrounds. */
export const playgroundErrors = {} as const satisfies Record<string, CataloguedError>;
