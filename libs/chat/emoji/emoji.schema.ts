import { z } from 'zod';
import { EXTRA_EMOJI_PATH } from '#chat/emoji-names';
import { members } from '#directory/roles';
import { ApiError, limitErrors, requestErrors } from '#platform/contracts';
import { endpoint, identifier, limitedText, text } from '#platform/http';
import { emojiErrors } from './emoji.errors.js';

const nothing = z.object({});

const MAX_NAME_LENGTH = 100;
const MAX_FILE_NAME_LENGTH = 100;
const MAX_FILE_MIB = 5;

const emoji = z.object({
  id: z.string().describe('The `emoji_code` of statuses and reactions with this emoji.'),
  name: z.string(),
  source_url: z.string().describe('The path of the picture, from the address of the organisation.'),
  still_url: z.null().describe('The path of a still picture; always null.'),
  deactivated: z.boolean().describe('Whether new statuses and reactions can no longer use it.'),
  author_id: z.int().nullable().describe('The account that uploaded it; null when unknown.'),
});

export const listEmoji = endpoint({
  tag: 'emoji',
  access: 'user',
  method: 'GET',
  path: '/realm/emoji',
  summary: 'List the custom emoji',
  description: 'Lists the emoji of the organisation, including deactivated ones.',
  parameters: {},
  largestAnswerBytes: 2_000_000,
  takesAnswerSlot: true,
  returns: z.object({ emoji: z.record(z.string(), emoji).describe('The emoji by id.') }),
  errors: [],
});

export const addEmoji = endpoint({
  tag: 'emoji',
  access: members,
  method: 'POST',
  path: '/realm/emoji/{emoji_name}',
  summary: 'Add a custom emoji',
  description:
    'Uploads an emoji for the organisation. Only administrators may use the name of a built-in emoji, ' +
    'which the new emoji then replaces.',
  parameters: {
    emoji_name: text(limitedText(MAX_NAME_LENGTH), {
      description:
        'The name: letters, digits, dashes and underscores. Stored in lower case, with underscores for spaces.',
    }),
  },
  file: {
    field: 'filename',
    description: `A PNG, JPEG, GIF or WebP image of at most ${MAX_FILE_MIB} MiB.`,
    limitMib: MAX_FILE_MIB,
    missing: emojiErrors.oneEmojiFile,
    several: emojiErrors.oneEmojiFile,
    tooLarge: emojiErrors.emojiFileTooLarge,
  },
  returns: nothing,
  errors: [
    emojiErrors.emojiNameMissing,
    emojiErrors.malformedEmojiName,
    emojiErrors.emojiNameIsBuiltIn,
    emojiErrors.customEmojiExists,
    emojiErrors.oneEmojiFile,
    emojiErrors.emojiFileTooLarge,
    emojiErrors.emojiFileNoPicture,
    emojiErrors.emojiPictureTooLarge,
    emojiErrors.emojiFramesTooMany,
    limitErrors.organizationLimitReached,
  ],
});

export const deactivateEmoji = endpoint({
  tag: 'emoji',
  access: 'user',
  method: 'DELETE',
  path: '/realm/emoji/{emoji_name}',
  summary: 'Deactivate a custom emoji',
  description:
    'Deactivates a custom emoji. Only its author and administrators may do so. Existing statuses and ' +
    'reactions keep the emoji.',
  parameters: { emoji_name: text(limitedText(MAX_NAME_LENGTH), { description: 'The name.' }) },
  returns: nothing,
  errors: [emojiErrors.noSuchCustomEmoji, emojiErrors.mayNotRemoveEmoji],
});

export const getEmojiPicture = endpoint({
  tag: 'emoji',
  access: 'anyone',
  method: 'GET',
  path: '/user_avatars/{realm_id}/emoji/images/{file_name}',
  isOutsideApi: true,
  summary: 'Get the picture of a custom emoji',
  description: 'Returns the picture at the address in `source_url`, without a sign-in.',
  parameters: {
    realm_id: identifier('The organisation.'),
    file_name: text(limitedText(MAX_FILE_NAME_LENGTH), {
      description: 'The file.',
      refusal: () => new ApiError(requestErrors.notFound),
    }),
  },
  returns: 'file',
  errors: [requestErrors.notFound],
});

export const getExtraEmojiPicture = endpoint({
  tag: 'emoji',
  access: 'anyone',
  method: 'GET',
  path: EXTRA_EMOJI_PATH,
  isOutsideApi: true,
  summary: 'Get the picture of the extra emoji',
  description:
    'Returns the picture of the emoji in the namespace `zulip_extra_emoji`, without a sign-in. Clients know this address.',
  parameters: {},
  returns: 'file',
  errors: [],
});

export const getEmojiData = endpoint({
  tag: 'emoji',
  access: 'anyone',
  method: 'GET',
  path: '/static/emoji/{file_name}',
  isOutsideApi: true,
  summary: "Get the names of Unicode's emoji",
  description: 'Returns the file at the address in `server_emoji_data_url`, without a sign-in.',
  parameters: {
    file_name: text(limitedText(MAX_FILE_NAME_LENGTH), {
      description: 'The file.',
      refusal: () => new ApiError(requestErrors.notFound),
    }),
  },
  returns: 'file',
  errors: [requestErrors.notFound],
});
