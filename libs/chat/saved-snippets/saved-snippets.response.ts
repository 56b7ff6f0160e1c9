import { z } from 'zod';
import type { SavedSnippet } from './saved-snippet.repository.js';

export const savedSnippetResponse = z.object({
  id: z.int(),
  title: z.string(),
  content: z.string().describe('Markdown.'),
  date_created: z.int().describe('UNIX seconds.'),
});

export const toSavedSnippetResponse = ({
  id,
  title,
  content,
  createdAt,
}: SavedSnippet): z.infer<typeof savedSnippetResponse> => ({
  id,
  title,
  content,
  date_created: Math.floor(createdAt.getTime() / 1000),
});
