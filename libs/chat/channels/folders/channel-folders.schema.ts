import { z } from 'zod';
import { administrators } from '#directory/roles';
import { limitErrors, longestTexts, withoutHiding } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { channelErrors } from '../channels.errors.js';
import { channelFolderErrors } from './channel-folders.errors.js';
import { channelFolderResponse } from './channel-folders.response.js';

/** More than an organisation has folders. */
const MAX_ORDERED = 10_000;

const common = { tag: 'channels', path: '/channel_folders' } as const;
const nothing = z.object({});

const name = limitedText(longestTexts.channelName);
const nameNotes = {
  description: 'The name, at most 60 characters. Surrounding white space is removed.',
};
const description = limitedText(longestTexts.channelDescription).transform(withoutHiding);
const descriptionNotes = { description: 'The description in Markdown, at most 1024 characters.' };
const nameErrors = [
  channelFolderErrors.folderNameEmpty,
  channelFolderErrors.folderNameInvalid,
  channelFolderErrors.folderNameTaken,
];

export const listChannelFolders = endpoint({
  ...common,
  method: 'GET',
  access: 'user',
  summary: 'List the channel folders',
  description: 'Returns the folders of the organisation in their order.',
  parameters: {
    include_archived: json(z.boolean().default(false), {
      description: 'Whether to list archived folders too.',
    }),
  },
  largestAnswerBytes: 12_000_000,
  takesAnswerSlot: true,
  returns: z.object({ channel_folders: z.array(channelFolderResponse) }),
  errors: [],
});

export const createChannelFolder = endpoint({
  ...common,
  path: '/channel_folders/create',
  method: 'POST',
  access: administrators,
  summary: 'Create a channel folder',
  description: 'Adds a folder behind the others.',
  parameters: {
    name: text(name, nameNotes),
    description: text(description.default(''), descriptionNotes),
  },
  returns: z.object({ channel_folder_id: z.int() }),
  errors: [...nameErrors, limitErrors.organizationLimitReached],
});

export const reorderChannelFolders = endpoint({
  ...common,
  method: 'PATCH',
  access: administrators,
  summary: 'Order the channel folders',
  description: 'Puts the folders of the organisation into an order.',
  parameters: {
    order: json(z.array(z.int()).max(MAX_ORDERED), {
      description: 'The ids of all folders, archived ones included, in their new order.',
    }),
  },
  returns: nothing,
  errors: [channelFolderErrors.invalidFolderOrder],
});

export const changeChannelFolder = endpoint({
  ...common,
  path: '/channel_folders/{channel_folder_id}',
  method: 'PATCH',
  access: administrators,
  summary: 'Change a channel folder',
  description:
    'Changes the name and the description of a folder, archives it or brings it back. Missing parameters leave their values unchanged. Only a folder without active channels can be archived.',
  parameters: {
    channel_folder_id: identifier('The id of the folder.'),
    name: text(name.optional(), nameNotes),
    description: text(description.optional(), descriptionNotes),
    is_archived: json(z.boolean().optional(), { description: 'Whether the folder is archived.' }),
  },
  returns: nothing,
  errors: [channelErrors.invalidFolder, ...nameErrors, channelFolderErrors.folderHasChannels],
});
