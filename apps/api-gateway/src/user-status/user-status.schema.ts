import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, identifier, json, limitedText, text } from '#edge';
import { emojiTypes } from '#emoji';

const nothing = z.object({});

/** In code points; a name of Unicode's longest emoji has 76. */
const LONGEST_EMOJI_NAME = 100;

/** Of a code or a type; every known one is shorter. */
const LONGEST_EMOJI_CODE = 255;

const newStatus = {
  status_text: text(z.string().trim().pipe(limitedText(60)).optional(), {
    description: 'What to say, at most 60 characters. The empty text takes it away.',
  }),
  emoji_name: text(limitedText(LONGEST_EMOJI_NAME).optional(), {
    description:
      'A name of the emoji. The empty one takes the emoji away, whatever is sent as its code and type.',
  }),
  emoji_code: text(limitedText(LONGEST_EMOJI_CODE).optional(), {
    refusal: () => new ApiError('invalidEmojiCode'),
    description:
      'The emoji within its type: the code points of a Unicode emoji in hexadecimal, joined by dashes; ' +
      'the id of a custom emoji. Taken from the name when it is left out.',
  }),
  reaction_type: text(limitedText(LONGEST_EMOJI_CODE).optional(), {
    refusal: () => new ApiError('invalidEmojiType'),
    description: `The type of the emoji: ${emojiTypes.join(', ')}. Taken from the name when it is left out.`,
  }),
};

const emojiErrors = [
  'noNewStatus',
  'statusEmojiWithoutName',
  'emojiDoesNotExist',
  'invalidEmojiName',
  'invalidEmojiCode',
  'invalidEmojiType',
  'invalidCustomEmoji',
  'invalidCustomEmojiName',
  'customEmojiIsDeactivated',
] as const;

export const changeOwnStatus = endpoint({
  tag: 'user status',
  access: 'user',
  method: 'POST',
  path: '/users/me/status',
  summary: 'Change one’s own status',
  description: 'Changes those parts of the caller’s status that are sent.',
  parameters: {
    ...newStatus,
    away: json(z.boolean().optional(), {
      isDeprecated: true,
      description: 'The opposite of the setting `presence_enabled`, which it changes.',
    }),
  },
  returns: nothing,
  errors: emojiErrors,
});

export const changeUserStatus = endpoint({
  tag: 'user status',
  access: 'user',
  method: 'POST',
  path: '/users/{user_id}/status',
  summary: 'Change a user’s status',
  description:
    'Changes those parts of another user’s status that are sent. For administrators; an owner’s status ' +
    'is for owners.',
  parameters: { user_id: identifier('The user.'), ...newStatus },
  returns: nothing,
  errors: ['noSuchUser', 'userIsDeactivated', 'insufficientPermission', ...emojiErrors],
});

export const getUserStatus = endpoint({
  tag: 'user status',
  access: 'user',
  method: 'GET',
  path: '/users/{user_id}/status',
  summary: 'Get a user’s status',
  description: 'Tells what a user says of themselves. A part that is not set is left out.',
  parameters: { user_id: identifier('The user.') },
  returns: z.object({
    status: z.object({
      status_text: z.string().optional(),
      emoji_name: z.string().optional(),
      emoji_code: z.string().optional().describe('The emoji within its type.'),
      reaction_type: z.enum(emojiTypes).optional().describe('The type of the emoji.'),
      away: z
        .literal(true)
        .optional()
        .describe('Deprecated: the user does not share their presence.'),
    }),
  }),
  errors: ['noSuchUser'],
});
