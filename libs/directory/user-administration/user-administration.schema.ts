import { z } from 'zod';
import { profileFieldErrors } from '#directory/profile-fields';
import { profileValues } from '#directory/profile-fields/endpoints';
import { roleErrors } from '#directory/roles';
import { userErrors } from '#directory/users';
import { newFullNameParameter, userParameter } from '#directory/users/endpoints';
import { endpoint, json } from '#platform/http';

export const changeUser = endpoint({
  tag: 'users',
  access: 'user',
  method: 'PATCH',
  path: '/users/{user_id}',
  summary: 'Change an account',
  description:
    'Changes the given values of an account, all or none. Requires an administrator; only owners can add and remove the role of an owner. An account that becomes a guest or stops being one has to register its event queues again.',
  parameters: {
    user_id: userParameter,
    full_name: newFullNameParameter,
    role: json(z.literal([100, 200, 300, 400, 600]).optional(), {
      description: '100 owner, 200 administrator, 300 moderator, 400 member, 600 guest.',
    }),
    profile_data: json(profileValues.optional(), {
      description:
        'The `id` of each custom profile field and its `value`: a list of user ids for a field of users, a text for any other; null removes it.',
    }),
  },
  refuses: ['new_email'],
  returns: z.object({}),
  errors: [
    userErrors.noSuchUser,
    roleErrors.insufficientPermission,
    roleErrors.mustBeOwner,
    userErrors.onlyOwnerRole,
    userErrors.nameTooLong,
    userErrors.nameTooShort,
    userErrors.invalidNameCharacters,
    userErrors.invalidNameFormat,
    userErrors.nameReserved,
    userErrors.nameInUse,
    profileFieldErrors.profileFieldNotFound,
    profileFieldErrors.notAChoice,
    profileFieldErrors.invalidProfileUser,
  ],
});
