import { z } from 'zod';
import type { ChannelQuery } from '#channels';
import { endpoint, json, type ParametersOf } from '#edge';
import { channelFields } from './channel.schema.js';

const off = z.boolean().default(false);
const on = z.boolean().default(true);

export const listChannels = endpoint({
  method: 'GET',
  path: '/streams',
  tag: 'channels',
  access: 'user',
  summary: 'List channels',
  description:
    'Answers with the channels of all sources that are asked for, in the order of their names. Without any source the list is empty.',
  parameters: {
    include_public: json(on, {
      description: 'Public channels. Left out, without an error, for a guest.',
    }),
    include_web_public: json(off, { description: 'Channels that may be read without an account.' }),
    include_subscribed: json(on, { description: 'Channels that the caller is subscribed to.' }),
    exclude_archived: json(on, { description: 'Whether archived channels are left out.' }),
    include_all: json(off, {
      description:
        'Channels that the caller may know of; for owners and administrators, all of them.',
    }),
    include_default: json(off, {
      description:
        'Channels that new accounts are subscribed to, as far as the caller may know of them; adds `is_default` to every channel of the list.',
    }),
    include_owner_subscribed: json(off, {
      description: 'For a bot: channels that its owner is subscribed to.',
    }),
    include_can_access_content: json(off, {
      description: 'Channels whose messages the caller may read.',
    }),
    include_all_active: json(off, {
      description: 'The older name of `include_all`, for owners and administrators only.',
      isDeprecated: true,
    }),
  },
  returns: z.object({
    streams: z.array(
      z.object({
        ...channelFields,
        is_default: z
          .boolean()
          .optional()
          .describe('Whether new accounts are subscribed to it; only with `include_default`.'),
      }),
    ),
  }),
  errors: ['notAuthorizedForQuery'],
});

/** The request in the words of #channels. */
export const channelQueryOf = (parameters: ParametersOf<typeof listChannels>): ChannelQuery => ({
  sources: {
    public: parameters.include_public,
    webPublic: parameters.include_web_public,
    subscribed: parameters.include_subscribed,
    ownerSubscribed: parameters.include_owner_subscribed,
    default: parameters.include_default,
    contentAccess: parameters.include_can_access_content,
    metadataAccess: parameters.include_all || parameters.include_all_active,
  },
  excludeArchived: parameters.exclude_archived,
  needsAdministrator: parameters.include_all_active,
});
