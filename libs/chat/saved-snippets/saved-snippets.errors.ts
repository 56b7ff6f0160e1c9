import { defineErrors } from '#platform/contracts';

/** Saved snippets. */
export const savedSnippetErrors = defineErrors({
  savedSnippetDoesNotExist: {
    code: 'BAD_REQUEST',
    status: 404,
    msg: 'Saved snippet does not exist.',
    when: 'The caller has no snippet with this id. The snippet of another account gets the same error.',
  },
});
