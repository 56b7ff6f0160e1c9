import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, identifier, json, limitedText, text } from '#edge';
import { LONGEST_PASSWORD } from '#users';

/** As many accounts can be asked for by their ids at once. */
const MOST_IDS = 1000;

/** Above any name and any address, of which only what is without the space around it counts. */
const LONGEST_SENT = 1000;

const nothing = z.object({});
const common = { tag: 'users', access: 'user' } as const;
const forAdministrators = { tag: 'users', access: 'administrator' } as const;

const profileValue = z.object({
  value: z.string(),
  rendered_value: z.string().optional().describe('HTML, for the types that may hold Markdown.'),
});

const user = z.object({
  user_id: z.int(),
  email: z.string().describe('The address that others see.'),
  delivery_email: z
    .string()
    .nullable()
    .describe(
      'The address that signs in. Null where it is not the one that others see, for those who are neither the account itself nor an administrator.',
    ),
  full_name: z.string(),
  role: z
    .literal([100, 200, 300, 400, 600])
    .describe('Owner, administrator, moderator, member, guest.'),
  is_admin: z.boolean().describe('True for owners too.'),
  is_owner: z.boolean(),
  is_guest: z.boolean(),
  is_billing_admin: z.boolean().describe('False: nothing is billed.'),
  is_active: z.boolean().describe('False for a deactivated account.'),
  is_bot: z.boolean(),
  bot_type: z.int().optional().describe('1; bots only.'),
  bot_owner_id: z.int().nullable().optional().describe('Bots only.'),
  is_system_bot: z
    .boolean()
    .optional()
    .describe('True for those who speak for the server; absent for others.'),
  timezone: z.string().describe('A name of the IANA time zone database; empty when not known.'),
  date_joined: z.string().describe('ISO 8601, to the minute, in UTC.'),
  avatar_version: z.int(),
  avatar_url: z
    .string()
    .nullable()
    .describe('Null for clients that make the address of Gravatar themselves.'),
  is_imported_stub: z.boolean().describe('False.'),
  profile_data: z
    .record(z.string(), profileValue)
    .optional()
    .describe('What a person has filled in, by the ids of the fields; absent for bots.'),
});

const userId = identifier('The account.');

const shown = {
  client_gravatar: json(z.boolean().default(true), {
    description: 'Whether the client makes the addresses of Gravatar itself.',
  }),
  include_custom_profile_fields: json(z.boolean().default(false), {
    description: 'Whether to tell what people have filled in.',
  }),
};

export const createUser = endpoint({
  ...forAdministrators,
  method: 'POST',
  path: '/users',
  summary: 'Create an account',
  description:
    'Makes an account for a member, subscribed to the default channels; its password fetches its API key. The caller must also be in the group of those who may create users.',
  parameters: {
    email: text(limitedText(LONGEST_SENT), {
      description: 'The address of the new account, at most 254 characters.',
      refusal: () => new ApiError('invalidEmailAddress'),
    }),
    password: text(limitedText(LONGEST_PASSWORD), {
      description: 'At least 6 characters, and not to be guessed in fewer than 10 000 attempts.',
    }),
    full_name: text(limitedText(LONGEST_SENT), {
      description: '2 to 100 characters, none of * ` \\ > " @.',
      refusal: () => new ApiError('nameTooLong'),
    }),
  },
  returns: z.object({ user_id: z.int() }),
  errors: [
    'notAllowedToCreateUsers',
    'nameTooLong',
    'nameTooShort',
    'invalidNameCharacters',
    'invalidNameFormat',
    'nameInUse',
    'invalidEmailAddress',
    'emailDomainNotAllowed',
    'disposableEmail',
    'emailWithPlus',
    'emailInUse',
    'weakPassword',
    'organizationLimitReached',
  ],
});

export const listUsers = endpoint({
  ...common,
  method: 'GET',
  path: '/users',
  summary: 'List the accounts',
  description:
    'Answers with the accounts of the organisation that the caller may know of, bots and deactivated ones included.',
  parameters: {
    ...shown,
    user_ids: json(z.array(z.int32()).max(MOST_IDS).optional(), {
      description: 'Only these, as far as there are such.',
    }),
  },
  returns: z.object({ members: z.array(user) }),
  errors: [],
});

export const getOwnUser = endpoint({
  ...common,
  method: 'GET',
  path: '/users/me',
  summary: 'Get the own account',
  description: 'Answers with the account of the caller.',
  parameters: {},
  returns: user.extend({
    max_message_id: z.int().describe('The newest message that the caller was sent; -1 for none.'),
  }),
  errors: [],
});

export const getUser = endpoint({
  ...common,
  method: 'GET',
  path: '/users/{user_id}',
  summary: 'Get an account',
  description: 'Answers with one account, found by its id or its address.',
  parameters: {
    user_id: text(limitedText(LONGEST_SENT), {
      description: 'The id of the account, or its email address.',
      refusal: () => new ApiError('noSuchUser'),
    }),
    ...shown,
  },
  returns: z.object({ user }),
  errors: ['noSuchUser'],
});

export const deactivateOwnUser = endpoint({
  ...common,
  method: 'DELETE',
  path: '/users/me',
  summary: 'Deactivate the own account',
  description: 'Takes the account of the caller and the bots that it owns out of use.',
  parameters: {},
  returns: nothing,
  errors: ['onlyUser'],
});

export const deactivateUser = endpoint({
  ...forAdministrators,
  method: 'DELETE',
  path: '/users/{user_id}',
  summary: 'Deactivate an account',
  description:
    'Takes an account and the bots that it owns out of use: they are refused from then on. What they wrote stays. Only owners do so to an owner.',
  parameters: { user_id: userId },
  returns: nothing,
  errors: ['noSuchUser', 'userIsDeactivated', 'mustBeOwner', 'onlyOwner', 'onlyUser'],
});

export const reactivateUser = endpoint({
  ...forAdministrators,
  method: 'POST',
  path: '/users/{user_id}/reactivate',
  summary: 'Reactivate an account',
  description:
    'Puts a deactivated account back into use as it was, but not the bots that it owns. Only owners do so to an owner.',
  parameters: { user_id: userId },
  returns: nothing,
  errors: ['noSuchUser', 'userIsActive', 'mustBeOwner'],
});
