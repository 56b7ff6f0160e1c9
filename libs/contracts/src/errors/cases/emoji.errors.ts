import type { CataloguedError } from '../catalogued-error.js';

/** Emoji of the organisation. */
export const emojiErrors = {} as const satisfies Record<string, CataloguedError>;
