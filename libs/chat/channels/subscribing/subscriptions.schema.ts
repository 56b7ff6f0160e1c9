import { z } from 'zod';
import { userErrors } from '#directory/users';
import { userGroupErrors } from '#directory/groups';
import { members, roleErrors } from '#directory/roles';
import { ApiError, limitErrors, longestLists, longestTexts } from '#platform/contracts';
import { endpoint, json, limitedText, type ParametersOf } from '#platform/http';
import { newPropertyParameters } from '../channel-properties.schema.js';
import { newProperties } from '../channel-property-table.rules.js';
import { channelErrors } from '../channels.errors.js';
import {
  subscriptionProperties,
  subscriptionPropertyTable,
} from '../subscriptions/subscription-property-table.rules.js';
import { isColor, normalColor } from './channel-color.rules.js';
import {
  formerSendingParameters,
  permissionParameters,
  permissionsIn,
} from './channel-permissions.schema.js';
import type { AccountReferences } from './named-channel.repository.js';
import type { SubscribeInput, SubscribeResult } from './subscribing.service.js';
import type { PropertyChange } from '../subscriptions/subscription-settings.repository.js';

const MAX_CHANNELS = 100;
const MAX_ACCOUNTS = 10_000;
const MAX_CHANGES = 1000;
/** Longer names get an error text of their own. */
const LONGEST_GIVEN_NAME = 1000;
const LONGEST_ADDRESS = 254;

const common = { tag: 'channels', path: '/users/me/subscriptions' } as const;

const color = z
  .string()
  .max(7)
  .refine(isColor, 'color is not a valid hex color code')
  .transform(normalColor);

const principals = json(
  z
    .union([
      z.array(z.int()).max(MAX_ACCOUNTS),
      z.array(limitedText(LONGEST_ADDRESS)).max(MAX_ACCOUNTS),
    ])
    .default([]),
  {
    description:
      'The accounts, by their ids or visible addresses; without any, the caller. At most 20,000 divided by the number of channels.',
  },
);

const off = z.boolean().default(false);

/** The parameters of new channels. */
export const channelPlanParameters = {
  announce: json(off, {
    description:
      'Whether new public channels are announced in the channel that the organisation has for it.',
  }),
  invite_only: json(off, { description: 'Whether a new channel is private.' }),
  is_web_public: json(off, { description: 'Not offered: true is an error.' }),
  history_public_to_subscribers: json(z.boolean().optional(), {
    description:
      'Whether subscribers see earlier messages of a new channel; by default only in a public one.',
  }),
  ...newPropertyParameters,
  send_new_subscription_messages: json(z.boolean().default(true), {
    description: `Whether others are told in a message that the caller has subscribed them; never more than ${longestLists.subscriptionNotices}.`,
  }),
  ...permissionParameters,
};

/** The errors of new channels. */
export const channelPlanErrors = [
  channelErrors.channelNameEmpty,
  channelErrors.channelNameTooLong,
  channelErrors.channelNameInvalid,
  channelErrors.webPublicNotEnabled,
  channelErrors.defaultCannotBePrivate,
  channelErrors.invalidFolder,
  channelErrors.permissionNotForGroup,
  userGroupErrors.invalidUserGroupId,
  userGroupErrors.invalidHolder,
  userErrors.noSuchUser,
  roleErrors.mustBeOwner,
  roleErrors.insufficientPermission,
  limitErrors.organizationLimitReached,
];

type PlanParameters = Pick<ParametersOf<typeof subscribe>, keyof typeof channelPlanParameters>;

/** Maps the parameters of new channels to a plan. */
export const channelPlanOf = (parameters: PlanParameters): SubscribeInput['plan'] => ({
  isAnnounced: parameters.announce,
  isPrivate: parameters.invite_only,
  isWebPublic: parameters.is_web_public,
  isHistoryPublic: parameters.history_public_to_subscribers ?? null,
  ...newProperties(parameters),
  tellsSubscribers: parameters.send_new_subscription_messages,
  permissions: permissionsIn(parameters),
});

/** Channels to subscribe to. */
export const wantedChannels = z
  .array(
    z.object({
      name: limitedText(LONGEST_GIVEN_NAME),
      color: color.optional(),
      description: limitedText(longestTexts.channelDescription).optional(),
    }),
  )
  .max(MAX_CHANNELS);

/** The names of channels to leave. */
const namesToLeave = z.array(limitedText(LONGEST_GIVEN_NAME)).max(MAX_CHANNELS);

const namesByUser = z.record(z.string(), z.array(z.string()));

const subscribedNames = {
  subscribed: namesByUser.describe('The new subscriptions: names of channels by user id.'),
  already_subscribed: namesByUser.describe('The existing subscriptions, likewise.'),
};

const removedNames = {
  removed: z.array(z.string()).describe('The channels that an account was unsubscribed from.'),
  not_removed: z.array(z.string()).describe('The channels that an account was not subscribed to.'),
};

const leavingErrors = [
  channelErrors.channelsDoNotExist,
  channelErrors.tooManySubscriptions,
  roleErrors.insufficientPermission,
  userErrors.noSuchUser,
];

export const subscribe = endpoint({
  ...common,
  method: 'POST',
  access: members,
  summary: 'Subscribe to channels',
  description:
    'Subscribes the caller or other accounts to channels. Channels that do not exist are created, with the properties of the other parameters. A repetition is not an error.',
  refuses: formerSendingParameters,
  parameters: {
    subscriptions: json(wantedChannels, {
      description:
        'The channels by name, at most 100: `{"name", "color", "description"}`. The description is that of a new channel.',
    }),
    principals,
    authorization_errors_fatal: json(z.boolean().default(true), {
      description:
        'Whether a channel that the caller cannot subscribe to is an error; otherwise it is listed in `unauthorized`.',
    }),
    ...channelPlanParameters,
  },
  returns: z.object({
    ...subscribedNames,
    unauthorized: z
      .array(z.string())
      .optional()
      .describe('The channels that the caller cannot subscribe to.'),
    new_subscription_messages_sent: z
      .boolean()
      .optional()
      .describe(
        'False if more accounts were subscribed than get messages about it; absent unless `send_new_subscription_messages`.',
      ),
  }),
  errors: [
    ...channelPlanErrors,
    channelErrors.channelNotAccessible,
    channelErrors.tooManySubscriptions,
  ],
});

/** Maps a channel of the parameters. */
export const wantedChannelOf = ({
  name,
  color: chosen,
  description = '',
}: z.infer<typeof wantedChannels>[number]): SubscribeInput['channels'][number] => ({
  name,
  color: chosen ?? null,
  description,
});

/** The accounts that a request names; null for the caller. */
export const accountsOf = (
  given: readonly number[] | readonly string[],
): AccountReferences | null => {
  if (given.length === 0) return null;
  return typeof given[0] === 'number'
    ? { ids: given as readonly number[] }
    : { emails: given as readonly string[] };
};

/** Maps the parameters of the endpoint to a request. */
export const subscribeInputOf = (parameters: ParametersOf<typeof subscribe>): SubscribeInput => ({
  channels: parameters.subscriptions.map(wantedChannelOf),
  accounts: accountsOf(parameters.principals),
  isStrict: parameters.authorization_errors_fatal,
  plan: channelPlanOf(parameters),
});

export const unsubscribe = endpoint({
  ...common,
  method: 'DELETE',
  access: 'user',
  summary: 'Unsubscribe from channels',
  description: 'Ends the subscriptions of the caller or of other accounts.',
  parameters: {
    subscriptions: json(namesToLeave, {
      description: 'The names of the channels, at most 100.',
    }),
    principals,
  },
  returns: z.object(removedNames),
  errors: leavingErrors,
});

export const patchSubscriptions = endpoint({
  ...common,
  method: 'PATCH',
  access: 'user',
  summary: 'Subscribe to channels and unsubscribe from others',
  description:
    "Changes the caller's subscriptions: first `add`, which is not for guests, then `delete`. If `delete` is refused, the new subscriptions stay.",
  parameters: {
    add: json(wantedChannels.default([]), {
      description: 'The channels to subscribe to, as in `POST /users/me/subscriptions`.',
    }),
    delete: json(namesToLeave.default([]), {
      description: 'The names of the channels to leave, at most 100.',
    }),
  },
  returns: z.object({ ...subscribedNames, ...removedNames }),
  errors: [
    ...channelPlanErrors,
    ...leavingErrors,
    channelErrors.channelNotAccessible,
    channelErrors.noSubscriptionChange,
    roleErrors.notAllowedForGuests,
  ],
});

/** The members of the answer for new and existing subscriptions. */
export const subscribedNamesOf = ({ subscribed, alreadySubscribed }: SubscribeResult) => ({
  subscribed: Object.fromEntries(subscribed),
  already_subscribed: Object.fromEntries(alreadySubscribed),
});

export const changeSubscriptions = endpoint({
  tag: 'channels',
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  access: 'user',
  summary: 'Change the settings of subscriptions',
  description:
    'Changes the settings of the caller for channels: all changes or none. `in_home_view` is the opposite of `is_muted`.',
  parameters: {
    subscription_data: json(
      z
        .array(
          z.object({
            stream_id: z.int(),
            property: limitedText(LONGEST_GIVEN_NAME),
            value: z.union([z.boolean(), limitedText(LONGEST_GIVEN_NAME)]),
          }),
        )
        .max(MAX_CHANGES),
      {
        description: `The changes, at most 1000: \`{"stream_id", "property", "value"}\`. The properties are ${[...subscriptionProperties, 'in_home_view'].map((name) => `\`${name}\``).join(', ')}; the value of \`color\` is \`#rrggbb\`, others are true or false.`,
      },
    ),
  },
  returns: z.object({}),
  errors: [
    channelErrors.unknownProperty,
    channelErrors.propertyNotBoolean,
    channelErrors.invalidColor,
    channelErrors.notSubscribed,
  ],
});

type GivenChange = ParametersOf<typeof changeSubscriptions>['subscription_data'][number];

/** The change that an entry of a request asks for. Throws ApiError for an unknown property or a wrong value. */
export function propertyChangeOf(
  { stream_id: channelId, property: given, value }: GivenChange,
  index: number,
): PropertyChange {
  if (given === 'color') {
    if (typeof value !== 'string' || !isColor(value)) {
      throw new ApiError(channelErrors.invalidColor, { index });
    }
    return { channelId, property: 'color', value: normalColor(value) };
  }
  const isOpposite = given === 'in_home_view';
  const property = isOpposite ? 'is_muted' : given;
  if (!isSwitch(property)) throw new ApiError(channelErrors.unknownProperty, { property: given });
  if (typeof value !== 'boolean') {
    throw new ApiError(channelErrors.propertyNotBoolean, { property: given });
  }
  return { channelId, property, value: isOpposite ? !value : value };
}

const isSwitch = (name: string): name is PropertyChange['property'] =>
  Object.hasOwn(subscriptionPropertyTable, name) && name !== 'color';
