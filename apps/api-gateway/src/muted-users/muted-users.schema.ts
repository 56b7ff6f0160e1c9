import { z } from 'zod';
import { endpoint, identifier } from '#edge';

const common = {
  tag: 'muted users',
  access: 'user',
  path: '/users/me/muted_users/{muted_user_id}',
  parameters: {
    muted_user_id: identifier('Somebody else: a person or a bot, deactivated ones included.'),
  },
  returns: z.object({}),
} as const;

export const muteUser = endpoint({
  ...common,
  method: 'POST',
  summary: 'Mute a user',
  description:
    'Marks what somebody has sent as read for the caller, and what they send from now on as it arrives.',
  errors: ['cannotMuteSelf', 'noSuchUser', 'userAlreadyMuted', 'accountLimitReached'],
});

export const unmuteUser = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Unmute a user',
  description: 'Ends the muting of somebody. What was marked as read stays so.',
  errors: ['noSuchUser', 'userNotMuted'],
});
