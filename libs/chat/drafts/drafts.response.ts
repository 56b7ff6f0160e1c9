import { z } from 'zod';
import type { Draft } from './draft.repository.js';

export const draftResponse = z.object({
  id: z.int(),
  type: z.string().describe('`stream`, `private`, or empty for a draft without a destination.'),
  to: z.array(z.int()).describe('The id of the channel, or the ids of the recipients.'),
  topic: z.string(),
  content: z.string().describe('Markdown.'),
  timestamp: z.int().describe('UNIX seconds of the last edit.'),
});

export const toDraftResponse = ({
  id,
  kind,
  to,
  topic,
  content,
  editedAt,
}: Draft): z.infer<typeof draftResponse> => ({
  id,
  type: kind,
  to: [...to],
  topic,
  content,
  timestamp: Math.floor(editedAt.getTime() / 1000),
});
