import { z } from 'zod';
import { renderListed } from '#platform/markdown';
import type { ChannelFolder } from './channel-folder.repository.js';

export const channelFolderResponse = z.object({
  id: z.int(),
  name: z.string(),
  order: z.int().describe('The place among the folders.'),
  date_created: z.int().describe('UNIX seconds.'),
  creator_id: z.int().nullable(),
  description: z.string().describe('Markdown.'),
  rendered_description: z.string().describe('HTML.'),
  is_archived: z.boolean(),
});

export const toChannelFolderResponse = (
  folder: ChannelFolder,
): z.infer<typeof channelFolderResponse> => ({
  id: folder.id,
  name: folder.name,
  order: folder.place,
  date_created: Math.floor(folder.createdAt.getTime() / 1000),
  creator_id: folder.creatorId,
  description: folder.description,
  rendered_description: renderListed(folder.description),
  is_archived: folder.isArchived,
});
