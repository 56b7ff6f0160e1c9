import { z } from 'zod';
import { endpoint, identifier, limitedName, limitedText, text } from '#platform/http';
import { limitErrors } from '#platform/contracts';
import { savedSnippetErrors } from './saved-snippets.errors.js';
import { savedSnippetResponse } from './saved-snippets.response.js';

const LONGEST_TITLE = 60;
const LONGEST_CONTENT = 10_000;

const nothing = z.object({});
const common = { tag: 'saved snippets', access: 'user' } as const;

const title = z.string().trim().pipe(limitedName(LONGEST_TITLE).min(1));
const content = z.string().trim().pipe(limitedText(LONGEST_CONTENT).min(1));
const titleNotes = { description: 'The title. Surrounding white space is removed.' };
const contentNotes = {
  description: 'The Markdown to insert into a message. Surrounding white space is removed.',
};
const snippetId = identifier('The id of a snippet of the caller.');

export const listSavedSnippets = endpoint({
  ...common,
  method: 'GET',
  path: '/saved_snippets',
  summary: 'List the saved snippets',
  description: "Returns the caller's snippets in the order of creation.",
  parameters: {},
  largestAnswerBytes: 4_100_000,
  takesAnswerSlot: true,
  returns: z.object({
    saved_snippets: z.array(savedSnippetResponse),
  }),
  errors: [],
});

export const createSavedSnippet = endpoint({
  ...common,
  method: 'POST',
  path: '/saved_snippets',
  summary: 'Save a snippet',
  description: 'Saves a text for the caller.',
  parameters: { title: text(title, titleNotes), content: text(content, contentNotes) },
  returns: z.object({ saved_snippet_id: z.int() }),
  errors: [limitErrors.accountLimitReached],
});

export const editSavedSnippet = endpoint({
  ...common,
  method: 'PATCH',
  path: '/saved_snippets/{saved_snippet_id}',
  summary: 'Edit a saved snippet',
  description: 'Changes a snippet of the caller. Missing parameters leave their values unchanged.',
  parameters: {
    saved_snippet_id: snippetId,
    title: text(title.optional(), titleNotes),
    content: text(content.optional(), contentNotes),
  },
  returns: nothing,
  errors: [savedSnippetErrors.savedSnippetDoesNotExist, limitErrors.accountLimitReached],
});

export const deleteSavedSnippet = endpoint({
  ...common,
  method: 'DELETE',
  path: '/saved_snippets/{saved_snippet_id}',
  summary: 'Delete a saved snippet',
  description: 'Deletes a snippet of the caller.',
  parameters: { saved_snippet_id: snippetId },
  returns: nothing,
  errors: [savedSnippetErrors.savedSnippetDoesNotExist],
});
