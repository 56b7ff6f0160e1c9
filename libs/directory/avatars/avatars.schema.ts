import { endpoint, identifier } from '#platform/http';

export const getAvatar = endpoint({
  tag: 'users',
  access: 'anyone',
  method: 'GET',
  path: '/avatar/{user_id}',
  isOutsideApi: true,
  summary: 'Get the picture of an account',
  description:
    'Returns the picture at the address in `avatar_url`, without a sign-in. The server draws it from the id, also for an id without an account.',
  parameters: { user_id: identifier('The id of the account.') },
  returns: 'file',
  errors: [],
});

export const getMediumAvatar = endpoint({
  ...getAvatar,
  path: '/avatar/{user_id}/medium',
  summary: 'Get the larger picture of an account',
  description: 'Returns the picture at the address in `avatar_url_medium`, without a sign-in.',
});

export const getDerivedMediumAvatar = endpoint({
  ...getMediumAvatar,
  path: '/avatar/{user_id}-medium.png',
  summary: 'Get the larger picture of an account, at the address that clients derive',
  description:
    'Returns the same as `GET /avatar/{user_id}/medium`. Some clients derive this address from `avatar_url`.',
});
