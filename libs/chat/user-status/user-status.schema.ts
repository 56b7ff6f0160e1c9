import { z } from 'zod';
import { emojiTypes, emojiErrors } from '#chat/emoji';
import { emojiName, emojiParameters } from '#chat/emoji/endpoints';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { roleErrors } from '#directory/roles';
import { userErrors } from '#directory/users';
import { userStatusErrors } from './user-status.errors.js';

const nothing = z.object({});

const newStatus = {
  status_text: text(z.string().trim().pipe(limitedText(60)).optional(), {
    description: 'The text, at most 60 characters. The empty text removes it.',
  }),
  emoji_name: text(emojiName.optional(), {
    description:
      'A name of the emoji. The empty name removes the emoji, regardless of code and type.',
  }),
  ...emojiParameters,
};

const A_YEAR_SECONDS = 366 * 86_400;

const statusErrors = [
  userStatusErrors.noNewStatus,
  userStatusErrors.statusEmojiWithoutName,
  emojiErrors.emojiDoesNotExist,
  emojiErrors.invalidEmojiName,
  emojiErrors.invalidEmojiCode,
  emojiErrors.invalidEmojiType,
  emojiErrors.invalidCustomEmoji,
  emojiErrors.invalidCustomEmojiName,
  emojiErrors.customEmojiIsDeactivated,
];

export const changeOwnStatus = endpoint({
  tag: 'user status',
  access: 'user',
  method: 'POST',
  path: '/users/me/status',
  summary: 'Change the own status',
  description: 'Changes the given parts of the caller’s status.',
  parameters: {
    ...newStatus,
    expires_at: json(
      z
        .int()
        .min(0)
        .refine((given) => given <= Date.now() / 1000 + A_YEAR_SECONDS, 'More than a year ahead')
        .meta({ minimum: 0 })
        .optional(),
      {
        description:
          'When the status is removed, in UNIX seconds, at most a year ahead; 0 for never. A new status without it has no end.',
      },
    ),
    pause_push: json(z.boolean().optional(), {
      description:
        'Phones are not notified until `expires_at`, at most 30 days ahead: it becomes the setting `push_snoozed_until`.',
    }),
    away: json(z.boolean().optional(), {
      isDeprecated: true,
      description: 'The opposite of the setting `presence_enabled`, which it changes.',
    }),
  },
  returns: nothing,
  errors: [...statusErrors, userStatusErrors.statusEndInPast, userStatusErrors.pauseWithoutEnd],
});

export const changeUserStatus = endpoint({
  tag: 'user status',
  access: 'user',
  method: 'POST',
  path: '/users/{user_id}/status',
  summary: 'Change a user’s status',
  description:
    'Changes the given parts of another user’s status. Requires an administrator, for the status of an ' +
    'owner an owner.',
  parameters: { user_id: identifier('The id of the user.'), ...newStatus },
  returns: nothing,
  errors: [
    userErrors.noSuchUser,
    userErrors.userIsDeactivated,
    roleErrors.insufficientPermission,
    ...statusErrors,
  ],
});

export const getUserStatus = endpoint({
  tag: 'user status',
  access: 'user',
  method: 'GET',
  path: '/users/{user_id}/status',
  summary: 'Get a user’s status',
  description: 'Returns the status of a user, without the parts that are not set.',
  parameters: { user_id: identifier('The id of the user.') },
  returns: z.object({
    status: z.object({
      status_text: z.string().optional(),
      emoji_name: z.string().optional(),
      emoji_code: z.string().optional().describe('The emoji within its type.'),
      reaction_type: z.enum(emojiTypes).optional().describe('The type of the emoji.'),
      expires_at: z.number().optional().describe('When the status is removed, in UNIX seconds.'),
      away: z
        .literal(true)
        .optional()
        .describe('Deprecated: the user does not share their presence.'),
    }),
  }),
  errors: [userErrors.noSuchUser],
});
