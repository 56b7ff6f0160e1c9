import { z } from 'zod';
import { groupSettingParameter, userGroupErrors } from '#directory/groups';
import { members, roleErrors } from '#directory/roles';
import { limitErrors, longestTexts } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, type ParametersOf, text } from '#platform/http';
import {
  byPermissionName,
  channelPermissions,
  permissionTable,
} from '../channel-permission-table.rules.js';
import { changedPropertyParameters } from '../channel-properties.schema.js';
import { changedProperties } from '../channel-property-table.rules.js';
import { channelErrors } from '../channels.errors.js';
import { formerSendingParameters } from '../subscribing/channel-permissions.schema.js';
import { channelPlanErrors, channelPlanParameters } from '../subscribing/subscriptions.schema.js';
import type { ChannelEdit } from './channel-changing.service.js';
import type { HoldersEdits } from './channel-edit-store.js';

const LONGEST_GIVEN_NAME = 1000;
const MAX_SUBSCRIBERS = 10_000;

const common = { tag: 'channels', path: '/streams/{stream_id}' } as const;
const streamId = identifier(
  'The id of the channel; not archived, unless the request brings it back.',
);

const holdersEdit = json(
  z.object({ new: groupSettingParameter, old: groupSettingParameter.optional() }).optional(),
  {
    description:
      'The new holders of the permission: `{"new", "old"}`. With `old` it is an error if others have it.',
  },
);

export const changeChannel = endpoint({
  ...common,
  method: 'PATCH',
  access: 'user',
  summary: 'Change a channel',
  description:
    'Changes the properties of a channel that the caller administers. Missing parameters leave their values unchanged. A channel that is brought back has its subscribers; former subscribers have lost the settings of their subscription.',
  refuses: formerSendingParameters,
  parameters: {
    stream_id: streamId,
    new_name: text(limitedText(LONGEST_GIVEN_NAME).optional(), {
      description: 'The name, at most 60 characters.',
    }),
    description: text(limitedText(longestTexts.channelDescription).optional(), {
      description: 'The description in Markdown, at most 1024 characters.',
    }),
    is_private: json(z.boolean().optional(), { description: 'Whether the channel is private.' }),
    is_web_public: json(z.boolean().optional(), {
      description:
        'False ends the access without an account; true is not offered, and is an error.',
    }),
    history_public_to_subscribers: json(z.boolean().optional(), {
      description:
        'Whether subscribers of a private channel see earlier messages; ignored for a public channel.',
    }),
    ...changedPropertyParameters,
    is_archived: json(z.boolean().optional(), {
      description:
        'False brings an archived channel back, before the other changes; true archives the channel.',
    }),
    ...byPermissionName(() => holdersEdit),
  },
  returns: z.object({}),
  errors: [
    channelErrors.invalidChannelId,
    channelErrors.cannotAdminister,
    channelErrors.contentAccessRequired,
    channelErrors.channelNameInUse,
    channelErrors.channelNameEmpty,
    channelErrors.channelNameTooLong,
    channelErrors.channelNameInvalid,
    channelErrors.webPublicNotEnabled,
    channelErrors.moderationChannelNotPrivate,
    channelErrors.channelHasTopics,
    channelErrors.defaultCannotBePrivate,
    channelErrors.invalidFolder,
    channelErrors.permissionNotForGroup,
    channelErrors.otherHolders,
    userGroupErrors.invalidUserGroupId,
    userGroupErrors.invalidHolder,
    roleErrors.mustBeOwner,
    roleErrors.mustBeAdministrator,
    limitErrors.organizationLimitReached,
  ],
});

/** Maps the parameters of the endpoint to a change. */
export const channelEditOf = (parameters: ParametersOf<typeof changeChannel>): ChannelEdit => ({
  name: parameters.new_name,
  description: parameters.description,
  isPrivate: parameters.is_private,
  isWebPublic: parameters.is_web_public,
  isHistoryPublic: parameters.history_public_to_subscribers,
  properties: changedProperties(parameters),
  isArchived: parameters.is_archived,
  holders: Object.fromEntries(
    channelPermissions.flatMap((permission) => {
      const given = parameters[permissionTable[permission].name];
      return given === undefined ? [] : [[permission, { next: given.new, known: given.old }]];
    }),
  ) satisfies HoldersEdits,
});

export const archiveChannel = endpoint({
  ...common,
  method: 'DELETE',
  access: 'user',
  summary: 'Archive a channel',
  description:
    'Archives a channel that the caller administers: its messages stay readable, and nobody can send to it.',
  parameters: { stream_id: identifier('The id of the channel; not archived.') },
  returns: z.object({}),
  errors: [channelErrors.invalidChannelId, channelErrors.cannotAdminister],
});

export const createChannel = endpoint({
  tag: 'channels',
  method: 'POST',
  path: '/channels/create',
  access: members,
  summary: 'Create a channel',
  description: 'Creates a channel and subscribes accounts to it.',
  refuses: formerSendingParameters,
  parameters: {
    name: text(limitedText(LONGEST_GIVEN_NAME), {
      description: 'The name, at most 60 characters.',
    }),
    description: text(limitedText(longestTexts.channelDescription).default(''), {
      description: 'The description in Markdown, at most 1024 characters.',
    }),
    subscribers: json(z.array(z.int()).max(MAX_SUBSCRIBERS), {
      description: 'The ids of the subscribers; may be empty.',
    }),
    ...channelPlanParameters,
  },
  returns: z.object({ id: z.int().describe('The id of the channel.') }),
  errors: [channelErrors.channelNameTaken, ...channelPlanErrors],
});
