import type { CataloguedError } from '../catalogued-error.js';

/** Video calls. */
export const videoCallErrors = {} as const satisfies Record<string, CataloguedError>;
