import { ApiError, parameterErrors, signInErrors } from '#platform/contracts';
import { endpoint, limitedText, text } from '#platform/http';
import { z } from 'zod';
import { tenantErrors } from '../tenants.errors.js';

const ID_LENGTH = 36;
const KEY_LENGTH = 64;
const LONGEST_HOSTNAME = 128;
const LONGEST_EMAIL = 254;
const LONGEST_ACCESS_TOKEN = 256;

const nothing = z.object({});
const common = { tag: 'push service', method: 'POST' } as const;

/** The errors of the sign-in of servers. */
export const serverSignInErrors = [
  tenantErrors.missingServerAuthorization,
  tenantErrors.notAServerKey,
  tenantErrors.serverNotRegistered,
  tenantErrors.wrongServerKey,
  tenantErrors.serverDeactivated,
  tenantErrors.wrongServiceHost,
  signInErrors.basicAuthRequired,
  signInErrors.invalidAuthorizationHeader,
];

const exactly = (name: string, length: number, description: string) =>
  text(z.string().length(length), {
    description,
    refusal: () => invalid(`${name} is not length ${length}`),
  });

const invalid = (message: string): ApiError =>
  new ApiError(parameterErrors.invalidParameter, { text: message });

/** A key with a colon could never sign in. */
const key = z
  .string()
  .length(KEY_LENGTH)
  .regex(/^[^:]+$/);

const keyRefusal = (name: string) => (given: string) =>
  invalid(
    given.length === KEY_LENGTH
      ? `${name} has invalid format`
      : `${name} is not length ${KEY_LENGTH}`,
  );

export const registerServer = endpoint({
  ...common,
  access: 'any-server',
  path: '/remotes/server/register',
  summary: 'Register a server',
  description:
    'Registers a server with an id and a key that it has made, or changes its host, its contact address and its key.',
  parameters: {
    zulip_org_id: exactly('zulip_org_id', ID_LENGTH, 'The id of the server: a UUID of version 4.'),
    zulip_org_key: text(key, {
      description: 'The key of the server, without a colon.',
      refusal: keyRefusal('zulip_org_key'),
    }),
    hostname: text(limitedText(LONGEST_HOSTNAME), {
      description: 'The host of the server, with its port if it has one.',
    }),
    contact_email: text(limitedText(LONGEST_EMAIL), {
      description: 'The address of the administrator of the server.',
    }),
    new_org_key: text(key.optional(), {
      description: 'Replaces the key of the server.',
      refusal: keyRefusal('new_org_key'),
    }),
  },
  returns: z.object({ created: z.boolean().meta({ description: 'Whether the server is new.' }) }),
  errors: [
    tenantErrors.invalidHostnameParts,
    tenantErrors.invalidHostname,
    tenantErrors.invalidContactEmail,
    tenantErrors.invalidUuid,
    tenantErrors.registrationClosed,
    tenantErrors.registeredWithOtherKey,
    tenantErrors.registrationDeactivated,
    tenantErrors.hostnameInUse,
    tenantErrors.wrongServiceHost,
  ],
});

export const deactivateServer = endpoint({
  ...common,
  access: 'server',
  path: '/remotes/server/deactivate',
  summary: 'End the registration of a server',
  description: 'Ends the registration of the server for good.',
  parameters: {},
  returns: nothing,
  errors: serverSignInErrors,
});

const hostname = text(limitedText(LONGEST_HOSTNAME), { description: 'The host of the server.' });

export const transferServer = endpoint({
  ...common,
  access: 'any-server',
  path: '/remotes/server/register/transfer',
  summary: 'Begin the transfer of a registration',
  description:
    'Returns a secret for a server that has lost its key. The server serves it to the push service within ten seconds.',
  parameters: { hostname },
  returns: z.object({ verification_secret: z.string() }),
  errors: [tenantErrors.hostnameNotRegistered, tenantErrors.wrongServiceHost],
});

export const verifyServer = endpoint({
  ...common,
  access: 'any-server',
  path: '/remotes/server/register/verify_challenge',
  summary: 'End the transfer of a registration',
  description:
    'Fetches the secret from the host over HTTPS, and returns a new key. An address can end five transfers a day.',
  parameters: {
    hostname,
    access_token: text(limitedText(LONGEST_ACCESS_TOKEN), {
      description: 'Under which the server serves the secret.',
    }),
  },
  returns: z.object({ zulip_org_id: z.string(), zulip_org_key: z.string() }),
  errors: [
    tenantErrors.noRegistrationOfHostname,
    tenantErrors.hostVerificationFailed,
    tenantErrors.verificationsUsedUp,
    tenantErrors.wrongServiceHost,
  ],
});
