import { z } from 'zod';
import { endpoint, identifier } from '#edge';

const common = {
  tag: 'channels',
  path: '/default_streams',
  access: 'administrator',
  returns: z.object({}),
} as const;

export const addDefaultChannel = endpoint({
  ...common,
  method: 'POST',
  summary: 'Make a channel a default one',
  description:
    'Makes a channel one of those that new accounts are subscribed to. Doing so again is no error.',
  parameters: { stream_id: identifier('The channel; neither a private nor an archived one.') },
  errors: ['invalidChannelId', 'privateChannelCannotBeDefault', 'organizationLimitReached'],
});

export const removeDefaultChannel = endpoint({
  ...common,
  method: 'DELETE',
  summary: 'Make a channel no default one',
  description:
    'Takes a channel from those that new accounts are subscribed to. One that is none of them is no error.',
  parameters: { stream_id: identifier('The channel; not an archived one.') },
  errors: ['invalidChannelId'],
});
