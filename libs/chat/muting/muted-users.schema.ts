import { z } from 'zod';
import { endpoint, identifier } from '#platform/http';
import { limitErrors } from '#platform/contracts';
import { userErrors } from '#directory/users';
import { mutedUserErrors } from './muted-users.errors.js';

const common = {
  tag: 'muted users',
  access: 'user',
  path: '/users/me/muted_users/{muted_user_id}',
  parameters: {
    muted_user_id: identifier(
      'The id of another account: a person or a bot, active or deactivated.',
    ),
  },
  returns: z.object({}),
} as const;

export const muteUser = endpoint({
  ...common,
  method: 'POST',
  summary: 'Mute a user',
  description:
    'Marks the existing messages of a user as read for the caller, and new messages as they arrive.',
  errors: [
    mutedUserErrors.cannotMuteSelf,
    userErrors.noSuchUser,
    mutedUserErrors.userAlreadyMuted,
    limitErrors.accountLimitReached,
  ],
});

export const unmuteUser = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Unmute a user',
  description: 'Unmutes a user. Messages that were marked as read stay read.',
  errors: [userErrors.noSuchUser, mutedUserErrors.userNotMuted],
});
