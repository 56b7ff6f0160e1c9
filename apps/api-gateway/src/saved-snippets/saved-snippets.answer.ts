import type { SavedSnippet } from '#saved-snippets';

/** A snippet in the members of the API. */
export const savedSnippetAnswer = ({ id, title, content, createdAt }: SavedSnippet) => ({
  id,
  title,
  content,
  date_created: Math.floor(createdAt.getTime() / 1000),
});
