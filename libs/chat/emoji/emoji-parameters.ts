import { ApiError } from '#platform/contracts';
import { limitedText, text } from '#platform/http';
import { emojiErrors } from './emoji.errors.js';
import { emojiTypes } from './emoji.rules.js';

/** In code points; the longest name of a Unicode emoji has 76. */
const LONGEST_NAME = 100;
/** For codes and types; every known one is shorter. */
const LONGEST_CODE = 255;

/** The name of an emoji in a request. */
export const emojiName = limitedText(LONGEST_NAME);

/** The parameters that choose an emoji besides its name. */
export const emojiParameters = {
  emoji_code: text(limitedText(LONGEST_CODE).optional(), {
    refusal: () => new ApiError(emojiErrors.invalidEmojiCode),
    description:
      'The emoji within its type: the code points of a Unicode emoji in hexadecimal, joined by dashes; the id of a custom emoji. Derived from the name by default.',
  }),
  reaction_type: text(limitedText(LONGEST_CODE).optional(), {
    refusal: () => new ApiError(emojiErrors.invalidEmojiType),
    description: `The type of the emoji: ${emojiTypes.join(', ')}. Derived from the name by default.`,
  }),
};
