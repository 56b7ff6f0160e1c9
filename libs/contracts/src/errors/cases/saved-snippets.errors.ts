import type { CataloguedError } from '../catalogued-error.js';

/** Saved snippets. */
export const savedSnippetErrors = {
  savedSnippetDoesNotExist: {
    code: 'BAD_REQUEST',
    status: 404,
    msg: 'Saved snippet does not exist.',
  },
} as const satisfies Record<string, CataloguedError>;
