import type { CataloguedError } from '../catalogued-error.js';

/** Saved snippets. */
export const savedSnippetErrors = {} as const satisfies Record<string, CataloguedError>;
