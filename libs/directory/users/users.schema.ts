import { z } from 'zod';
import { administrators, roleErrors } from '#directory/roles';
import { ApiError, limitErrors } from '#platform/contracts';
import { endpoint, identifier, json, limitedText, text } from '#platform/http';
import { LONGEST_PASSWORD } from './new-account/password-strength.js';
import { userErrors } from './users.errors.js';

/** The maximum number of ids in a request. */
const MAX_IDS = 1000;

/** Above the limits of names and addresses, which are checked after white space is trimmed. */
const LONGEST_SENT = 1000;

const nothing = z.object({});
const common = { tag: 'users', access: 'user' } as const;
const forAdministrators = { tag: 'users', access: administrators } as const;

const profileValue = z.object({
  value: z.string(),
  rendered_value: z.string().optional().describe('HTML, only for types with Markdown.'),
});

const user = z.object({
  user_id: z.int(),
  email: z.string().describe('The address that other users see.'),
  delivery_email: z
    .string()
    .nullable()
    .describe(
      'The sign-in address. If it differs from `email`, null for callers other than administrators and the account itself.',
    ),
  full_name: z.string(),
  role: z
    .literal([100, 200, 300, 400, 600])
    .describe('Owner, administrator, moderator, member, guest.'),
  is_admin: z.boolean().describe('True for owners too.'),
  is_owner: z.boolean(),
  is_guest: z.boolean(),
  is_active: z.boolean().describe('False for a deactivated account.'),
  is_bot: z.boolean(),
  bot_type: z.int().optional().describe('1; bots only.'),
  bot_owner_id: z.int().nullable().optional().describe('Bots only.'),
  is_system_bot: z
    .boolean()
    .optional()
    .describe('True for accounts that send messages for the server; missing for others.'),
  timezone: z
    .string()
    .describe('A name of the IANA time zone database; empty for an unknown time zone.'),
  date_joined: z.string().describe('ISO 8601, to the minute, in UTC.'),
  avatar_version: z.int(),
  avatar_url: z
    .string()
    .nullable()
    .describe('From the address of the organisation. Null for clients that compute the picture.'),
  is_imported_stub: z.boolean().describe('Always false.'),
  profile_data: z
    .record(z.string(), profileValue)
    .optional()
    .describe('The values of custom profile fields by the ids of the fields; missing for bots.'),
});

const userId = identifier('The id of the account.');

/** An account that the caller may see. */
export const userParameter = text(limitedText(LONGEST_SENT), {
  description: 'The id of the account, or its email address.',
  refusal: () => new ApiError(userErrors.noSuchUser),
});

const fullName = limitedText(LONGEST_SENT);
const fullNameNotes = {
  description: '2 to 100 characters, without * ` \\ > " @.',
  refusal: () => new ApiError(userErrors.nameTooLong),
};

/** The new name of an account. */
export const newFullNameParameter = text(fullName.optional(), fullNameNotes);

const shown = {
  client_gravatar: json(z.boolean().default(true), {
    description:
      'Whether the client computes the pictures, as Gravatar does from `email`; `avatar_url` is null then.',
  }),
  include_custom_profile_fields: json(z.boolean().default(false), {
    description: 'Whether to include the values of custom profile fields.',
  }),
};

export const createUser = endpoint({
  ...forAdministrators,
  method: 'POST',
  path: '/users',
  summary: 'Create an account',
  description:
    'Creates an account for a member, with subscriptions to the default channels. The caller must also be in the group that may create users.',
  parameters: {
    email: text(limitedText(LONGEST_SENT), {
      description: 'The address of the new account, at most 254 characters.',
      refusal: () => new ApiError(userErrors.invalidEmailAddress),
    }),
    password: text(limitedText(LONGEST_PASSWORD), {
      description: 'At least 6 characters; must resist 10 000 guesses.',
    }),
    full_name: text(fullName, fullNameNotes),
  },
  returns: z.object({ user_id: z.int() }),
  errors: [
    userErrors.notAllowedToCreateUsers,
    userErrors.nameTooLong,
    userErrors.nameTooShort,
    userErrors.invalidNameCharacters,
    userErrors.invalidNameFormat,
    userErrors.nameReserved,
    userErrors.nameInUse,
    userErrors.invalidEmailAddress,
    userErrors.emailDomainNotAllowed,
    userErrors.disposableEmail,
    userErrors.emailWithPlus,
    userErrors.emailInUse,
    userErrors.weakPassword,
    limitErrors.organizationLimitReached,
  ],
});

export const listUsers = endpoint({
  ...common,
  method: 'GET',
  path: '/users',
  summary: 'List the accounts',
  description:
    'Returns the accounts of the organisation that the caller may see, including bots and deactivated accounts.',
  parameters: {
    ...shown,
    user_ids: json(z.array(z.int32()).max(MAX_IDS).optional(), {
      description: 'The ids of the accounts to return; unknown ids are ignored.',
    }),
  },
  takesAnswerSlot: true,
  returns: z.object({ members: z.array(user) }),
  errors: [],
});

export const getOwnUser = endpoint({
  ...common,
  method: 'GET',
  path: '/users/me',
  summary: 'Get the own account',
  description: 'Returns the account of the caller.',
  parameters: {},
  returns: user.extend({
    max_message_id: z
      .int()
      .describe('The newest message that the caller has received; -1 for none.'),
  }),
  errors: [],
});

export const getUser = endpoint({
  ...common,
  method: 'GET',
  path: '/users/{user_id}',
  summary: 'Get an account',
  description: 'Returns an account by its id or its email address.',
  parameters: {
    user_id: userParameter,
    ...shown,
  },
  returns: z.object({ user }),
  errors: [userErrors.noSuchUser],
});

export const deactivateOwnUser = endpoint({
  ...common,
  method: 'DELETE',
  path: '/users/me',
  summary: 'Deactivate the own account',
  description: 'Deactivates the account of the caller and the bots that it owns.',
  parameters: {},
  returns: nothing,
  errors: [userErrors.onlyUser],
});

const isErased = z.boolean().default(false);

const actions = z.strictObject({
  delete_profile: isErased,
  delete_public_channel_messages: isErased,
  delete_private_channel_messages: isErased,
  delete_direct_messages: isErased,
});

export const deactivateUser = endpoint({
  ...forAdministrators,
  method: 'DELETE',
  path: '/users/{user_id}',
  summary: 'Deactivate an account',
  description:
    'Deactivates an account and the bots that it owns: their requests are rejected from then on, and their messages stay, unless `actions` has them deleted. Only owners can deactivate an owner.',
  parameters: {
    user_id: userId,
    actions: json(actions.default(actions.parse({})), {
      description:
        'What else is deleted with the account and its bots: `delete_profile` gives them the name "Deleted user"; `delete_public_channel_messages`, `delete_private_channel_messages` and `delete_direct_messages` delete their messages in the following seconds. None by default.',
    }),
  },
  refuses: ['deactivation_notification_comment'],
  returns: nothing,
  errors: [
    userErrors.noSuchUser,
    userErrors.userIsDeactivated,
    roleErrors.mustBeOwner,
    userErrors.onlyOwner,
    userErrors.onlyUser,
  ],
});

export const reactivateUser = endpoint({
  ...forAdministrators,
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  summary: 'Reactivate an account',
  description:
    'Reactivates an account, but not the bots that it owns, and no bot of a deactivated account. Only owners can reactivate an owner.',
  parameters: { user_id: userId },
  returns: nothing,
  errors: [
    userErrors.noSuchUser,
    userErrors.userIsActive,
    userErrors.botOwnerIsDeactivated,
    roleErrors.mustBeOwner,
  ],
});
