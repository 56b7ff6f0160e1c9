import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Emoji of the organisation. */
export const emojiErrors = {
  emojiDoesNotExist: badRequest("Emoji '{name}' does not exist"),
  invalidEmojiCode: badRequest('Invalid emoji code.'),
  invalidEmojiName: badRequest('Invalid emoji name.'),
  invalidEmojiType: badRequest('Invalid emoji type.'),
  invalidCustomEmoji: badRequest('Invalid custom emoji.'),
  invalidCustomEmojiName: badRequest('Invalid custom emoji name.'),
  customEmojiIsDeactivated: badRequest('This custom emoji has been deactivated.'),
  noSuchCustomEmoji: { ...badRequest("Emoji '{name}' does not exist"), status: 404 },
  mayNotRemoveEmoji: badRequest('Must be an organization administrator or emoji author'),
  emojiNameMissing: badRequest('Emoji name is missing'),
  malformedEmojiName: badRequest(
    'Emoji names may only have letters, digits, dashes and underscores, and end with a letter or digit.',
  ),
  emojiNameIsBuiltIn: badRequest('Only administrators may give a custom emoji a built-in name.'),
  customEmojiExists: badRequest('A custom emoji with this name already exists.'),
  oneEmojiFile: badRequest('You must upload exactly one file.'),
  emojiFileTooLarge: badRequest('Emoji files may have at most {limit} MiB.'),
  emojiFileNoPicture: badRequest('Emoji files must be a PNG, JPEG, GIF or WebP image.'),
  emojiPictureTooLarge: badRequest('Emoji images may be at most {limit} pixels wide and high.'),
} as const satisfies Record<string, CataloguedError>;
