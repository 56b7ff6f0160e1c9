import { emojiErrors } from '#chat/emoji';
import { emojiName, emojiParameters } from '#chat/emoji/endpoints';
import { messageErrors } from '#chat/messages';
import { endpoint, messageId, text } from '#platform/http';
import { z } from 'zod';
import { reactionErrors } from './reactions.errors.js';

const common = {
  tag: 'messages',
  access: 'user',
  path: '/messages/{message_id}/reactions',
} as const;

const parameters = {
  message_id: messageId,
  ...emojiParameters,
};

export const addReaction = endpoint({
  ...common,
  method: 'POST',
  summary: 'Add a reaction',
  description:
    'Adds an emoji to a message. If the message has a reaction with the emoji, the new one takes its name, and the name in the request need not be valid.',
  parameters: {
    ...parameters,
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
    ...parameters,
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
