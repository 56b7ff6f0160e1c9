import { badRequest, defineErrors } from '#platform/contracts';

export const emojiErrors = defineErrors({
  emojiDoesNotExist: badRequest(
    "Emoji '{name}' does not exist",
    'The request names an emoji without a code or type, and no emoji has the name.',
  ),
  invalidEmojiCode: badRequest('Invalid emoji code.', 'No emoji of the type has the code.'),
  invalidEmojiName: badRequest(
    'Invalid emoji name.',
    'The emoji with the code has neither the name nor the keyword.',
  ),
  invalidEmojiType: badRequest('Invalid emoji type.', 'The type of an emoji is unknown.'),
  invalidCustomEmoji: badRequest(
    'Invalid custom emoji.',
    'The organisation has no emoji with the code.',
  ),
  invalidCustomEmojiName: badRequest(
    'Invalid custom emoji name.',
    'The organisation’s emoji with the code has another name.',
  ),
  customEmojiIsDeactivated: badRequest(
    'This custom emoji has been deactivated.',
    'The organisation’s emoji with the code is deactivated.',
  ),
  noSuchCustomEmoji: {
    code: 'BAD_REQUEST',
    status: 404,
    msg: "Emoji '{name}' does not exist",
    when: 'The organisation has no active emoji with the name.',
  },
  mayNotRemoveEmoji: badRequest(
    'Must be an organization administrator or emoji author',
    'Only the author of a custom emoji and administrators may deactivate it.',
  ),
  emojiNameMissing: badRequest('Emoji name is missing', 'The name of a new custom emoji is empty.'),
  malformedEmojiName: badRequest(
    'Emoji names may only have letters, digits, dashes and underscores, and end with a letter or digit.',
    'The name of a new custom emoji has other characters.',
  ),
  emojiNameIsBuiltIn: badRequest(
    'Only administrators may give a custom emoji a built-in name.',
    'The name belongs to a Unicode emoji or to the built-in extra emoji, and the caller is no administrator.',
  ),
  customEmojiExists: badRequest(
    'A custom emoji with this name already exists.',
    'An active custom emoji of the organisation already has the name.',
  ),
  oneEmojiFile: badRequest(
    'You must upload exactly one file.',
    'The request has no file, or several files.',
  ),
  emojiFileTooLarge: badRequest(
    'Emoji files may have at most {limit} MiB.',
    'The file of a custom emoji is too large.',
  ),
  emojiFileNoPicture: badRequest(
    'Emoji files must be a PNG, JPEG, GIF or WebP image.',
    'The file of a custom emoji has another format, or is damaged.',
  ),
  emojiPictureTooLarge: badRequest(
    'Emoji images may be at most {limit} pixels wide and high.',
    'The image of a custom emoji, or a frame of it, has too many pixels.',
  ),
  emojiFramesTooMany: badRequest(
    'Emoji images may have at most {limit} frames.',
    'The image of a custom emoji is a longer animation.',
  ),
});
