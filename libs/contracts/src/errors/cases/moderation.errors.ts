import type { CataloguedError } from '../catalogued-error.js';

/** Reports to moderators. */
export const moderationErrors = {} as const satisfies Record<string, CataloguedError>;
