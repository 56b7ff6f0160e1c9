import { ApiError } from '#platform/contracts';
import { endpoint, json, limitedText, text } from '#platform/http';
import { pushErrors } from '#push/devices';
import { z } from 'zod';
import { tenantErrors } from '../tenants.errors.js';
import { serverSignInErrors } from '../servers/servers.schema.js';

/** In characters: longer than every token, whose length is checked after its kind. */
const LONGEST_TEXT = 16_384;
/** Apple's limit of bundle ids. */
const LONGEST_APP_ID = 155;
const UUID_LENGTH = 36;

const nothing = z.object({});
const common = { tag: 'push service', method: 'POST', access: 'server' } as const;

const invalidUuid = () => new ApiError(tenantErrors.invalidUuid);

/** A UUID as a parameter. */
const uuid = (description: string) =>
  text(z.guid().meta({ maxLength: UUID_LENGTH }).optional(), { description, refusal: invalidUuid });

const account = {
  user_id: json(z.int().optional(), { description: 'The account, at old servers.' }),
  user_uuid: uuid('The account.'),
  realm_uuid: uuid('The organisation of the account.'),
  server_uuid: text(limitedText(LONGEST_TEXT).optional(), { description: 'Ignored.' }),
};

const token = {
  token_kind: json(z.int(), { description: '1 for Apple, 2 for Google.' }),
  token: text(limitedText(LONGEST_TEXT), {
    description: 'The token.',
    refusal: () => new ApiError(pushErrors.invalidLengthToken),
  }),
};

const tokenErrors = [
  ...serverSignInErrors,
  tenantErrors.invalidTokenType,
  tenantErrors.missingUser,
  tenantErrors.invalidUuid,
  pushErrors.invalidLengthToken,
  pushErrors.invalidApnsToken,
];

export const registerTenantDevice = endpoint({
  ...common,
  path: '/remotes/push/register',
  summary: 'Register a token of an account',
  description: 'Stores a token of an account of the server, or refreshes it.',
  parameters: {
    ...account,
    ...token,
    ios_app_id: text(
      z
        .string()
        .max(LONGEST_APP_ID)
        .regex(/^[.a-zA-Z0-9-]+$/)
        .optional(),
      { description: 'The bundle id of the app; required for tokens of Apple.' },
    ),
  },
  returns: nothing,
  errors: [...tokenErrors, tenantErrors.missingAppId, tenantErrors.realmOfOtherServer],
});

export const unregisterTenantDevice = endpoint({
  ...common,
  path: '/remotes/push/unregister',
  summary: 'Remove a token of an account',
  description: 'Removes a token from an account of the server.',
  parameters: { ...account, ...token },
  returns: nothing,
  errors: [...tokenErrors, pushErrors.tokenDoesNotExist],
});

export const unregisterAllTenantDevices = endpoint({
  ...common,
  path: '/remotes/push/unregister/all',
  summary: 'Remove all tokens of an account',
  description:
    'Removes all tokens of an account of the server, but those for encrypted notifications.',
  parameters: account,
  returns: nothing,
  errors: [...serverSignInErrors, tenantErrors.missingUser, tenantErrors.invalidUuid],
});

export const registerSealedDevice = endpoint({
  ...common,
  path: '/remotes/push/e2ee/register',
  summary: 'Register a token for encrypted notifications',
  description:
    'Opens a registration that a phone has sealed, and stores its token for an organisation.',
  parameters: {
    realm_uuid: text(z.guid().meta({ maxLength: UUID_LENGTH }), {
      description: 'The organisation.',
      refusal: invalidUuid,
    }),
    token_id: text(limitedText(LONGEST_TEXT), {
      description: 'The first eight bytes of the SHA-256 of the token, in base64.',
      refusal: () => new ApiError(tenantErrors.invalidSealedRegistration),
    }),
    encrypted_push_registration: text(limitedText(LONGEST_TEXT), {
      description: 'The sealed registration, in base64.',
      refusal: () => new ApiError(tenantErrors.invalidSealedRegistration),
    }),
    bouncer_public_key: text(limitedText(LONGEST_TEXT), {
      description: 'The key of this push service that the phone has sealed it to, in base64.',
      refusal: () => new ApiError(tenantErrors.invalidServicePublicKey),
    }),
  },
  returns: nothing,
  errors: [
    ...serverSignInErrors,
    tenantErrors.invalidUuid,
    tenantErrors.realmNotRegistered,
    tenantErrors.realmOfOtherServer,
    tenantErrors.invalidServicePublicKey,
    tenantErrors.invalidSealedRegistration,
    tenantErrors.registrationExpired,
  ],
});
