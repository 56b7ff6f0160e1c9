import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, identifier, limitedText, text } from '#edge';

const nothing = z.object({});

const LONGEST_NAME = 100;
const LONGEST_FILE_NAME = 100;
const LARGEST_FILE_MIB = 5;

const emoji = z.object({
  id: z.string().describe('The `emoji_code` of statuses and reactions with this emoji.'),
  name: z.string(),
  source_url: z
    .string()
    .describe('The path of its picture, below the address of the organisation.'),
  still_url: z.null().describe('The path of a picture that does not move: there is none.'),
  deactivated: z.boolean().describe('No new status or reaction may have it.'),
  author_id: z.int().nullable().describe('Who uploaded it, where that is known.'),
});

export const listEmoji = endpoint({
  tag: 'emoji',
  access: 'user',
  method: 'GET',
  path: '/realm/emoji',
  summary: 'List the custom emoji',
  description: 'Lists the emoji that the organisation has uploaded, deactivated ones too.',
  parameters: {},
  returns: z.object({ emoji: z.record(z.string(), emoji).describe('By their ids.') }),
  errors: [],
});

export const addEmoji = endpoint({
  tag: 'emoji',
  access: 'member',
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  summary: 'Add a custom emoji',
  description:
    'Uploads an emoji of the organisation’s own. Only administrators may give it the name of a built-in ' +
    'emoji, the place of which it takes.',
  parameters: {
    emoji_name: text(limitedText(LONGEST_NAME), {
      description:
        'Its name: letters, digits, dashes and underscores. Stored in lower case, with underscores for spaces.',
    }),
  },
  file: {
    field: 'filename',
    description: `A PNG, JPEG, GIF or WebP image of at most ${LARGEST_FILE_MIB} MiB.`,
    limitMib: LARGEST_FILE_MIB,
    missing: 'oneEmojiFile',
    several: 'oneEmojiFile',
    tooLarge: 'emojiFileTooLarge',
  },
  returns: nothing,
  errors: [
    'emojiNameMissing',
    'malformedEmojiName',
    'emojiNameIsBuiltIn',
    'customEmojiExists',
    'oneEmojiFile',
    'emojiFileTooLarge',
    'emojiFileNoPicture',
    'emojiPictureTooLarge',
    'organizationLimitReached',
  ],
});

export const deactivateEmoji = endpoint({
  tag: 'emoji',
  access: 'user',
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  summary: 'Deactivate a custom emoji',
  description:
    'Takes a custom emoji out of use, as its author or as an administrator. Statuses and reactions that ' +
    'have it keep it.',
  parameters: { emoji_name: text(limitedText(LONGEST_NAME), { description: 'Its name.' }) },
  returns: nothing,
  errors: ['noSuchCustomEmoji', 'mayNotRemoveEmoji'],
});

export const getEmojiPicture = endpoint({
  tag: 'emoji',
  access: 'anyone',
  method: 'GET',
  path: '/user_avatars/{realm_id}/emoji/images/{file_name}',
  isOutsideApi: true,
  summary: 'Get the picture of a custom emoji',
  description: 'Sends the picture to whoever has its address, as `source_url` tells it.',
  parameters: {
    realm_id: identifier('The organisation.'),
    file_name: text(limitedText(LONGEST_FILE_NAME), {
      description: 'The file.',
      refusal: () => new ApiError('notFound'),
    }),
  },
  returns: 'file',
  errors: ['notFound'],
});
