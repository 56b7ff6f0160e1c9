import { emojiErrors, emojiTypes } from '#chat/emoji';
import { messageErrors } from '#chat/messages';
import { ApiError } from '#platform/contracts';
import { endpoint, limitedText, messageIdentifier, text } from '#platform/http';
import { z } from 'zod';
import { reactionErrors } from './reactions.errors.js';

/** In code points; the longest name of a Unicode emoji has 76. */
const LONGEST_EMOJI_NAME = 100;
/** For codes and types; every known one is shorter. */
const LONGEST_EMOJI_CODE = 255;

const common = {
  tag: 'messages',
  access: 'user',
  path: '/messages/{message_id}/reactions',
} as const;

const emojiName = limitedText(LONGEST_EMOJI_NAME);

const emojiParameters = {
  message_id: messageIdentifier('The id of the message.'),
  emoji_code: text(limitedText(LONGEST_EMOJI_CODE).optional(), {
    refusal: () => new ApiError(emojiErrors.invalidEmojiCode),
    description:
      'The emoji within its type: the code points of a Unicode emoji in hexadecimal, joined by dashes; the id of a custom emoji. Derived from the name by default.',
  }),
  reaction_type: text(limitedText(LONGEST_EMOJI_CODE).optional(), {
    refusal: () => new ApiError(emojiErrors.invalidEmojiType),
    description: `The type of the emoji: ${emojiTypes.join(', ')}. Derived from the name by default.`,
  }),
};

export const addReaction = endpoint({
  ...common,
  method: 'POST',
  summary: 'Add a reaction',
  description:
    'Adds an emoji to a message. If the message has a reaction with the emoji, the new one takes its name, and the name in the request need not be valid.',
  parameters: {
    ...emojiParameters,
    emoji_name: text(emojiName, { description: 'A name of the emoji.' }),
  },
  returns: z.object({}),
  errors: [
    messageErrors.invalidMessage,
    reactionErrors.reactionAlreadyExists,
    reactionErrors.tooManyReactions,
    emojiErrors.emojiDoesNotExist,
    emojiErrors.invalidEmojiName,
    emojiErrors.invalidEmojiCode,
    emojiErrors.invalidEmojiType,
    emojiErrors.invalidCustomEmoji,
    emojiErrors.invalidCustomEmojiName,
    emojiErrors.customEmojiIsDeactivated,
  ],
});

export const removeReaction = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Remove a reaction',
  description:
    "Removes the caller's reaction with an emoji from a message, even if the emoji has been deactivated. The emoji is given by its name or its code.",
  parameters: {
    ...emojiParameters,
    emoji_name: text(emojiName.optional(), { description: 'A name of the emoji.' }),
  },
  returns: z.object({}),
  errors: [
    messageErrors.invalidMessage,
    reactionErrors.reactionDoesNotExist,
    reactionErrors.reactionWithoutEmoji,
    emojiErrors.emojiDoesNotExist,
    emojiErrors.invalidEmojiType,
  ],
});
