import { z } from 'zod';
import { ConfigError } from './read-variables.js';
import { list, port } from './variable-types.js';

/** Apple's two worlds, in the order in which a device of unknown environment is tried. */
const environments = ['production', 'sandbox'] as const;
type Environment = (typeof environments)[number];

const isEnvironment = (item: string): item is Environment =>
  environments.some((environment) => environment === item);

/** How Apple is reached, and how this server signs in there. */
export const apnsVariables = {
  APNS_DRIVER: z.enum(['http2', 'node-apn']).default('http2'),
  APNS_HOST: z.string().optional(),
  APNS_PORT: port.default(443),
  APNS_SANDBOX_HOST: z.string().optional(),
  APNS_SANDBOX_PORT: port.default(443),
  APNS_ENVIRONMENTS: list
    .refine((items) => items.length > 0 && items.every(isEnvironment), {
      message: 'expected production, sandbox, or both with a comma between',
    })
    .transform((items) => [...new Set(items.filter(isEnvironment))])
    .optional(),
  APNS_CA_FILE: z.string().optional(),
  APNS_KEY_FILE: z.string().optional(),
  APNS_KEY_ID: z.string().optional(),
  APNS_TEAM_ID: z.string().optional(),
  APNS_CERTIFICATE_FILE: z.string().optional(),
  APNS_CERTIFICATE_KEY_FILE: z.string().optional(),
  PUSH_APPS_FILE: z.string().optional(),
};

type ApnsValues = z.infer<z.ZodObject<typeof apnsVariables>>;

/** Where Apple is and how to sign in. Throws ConfigError for a sign-in that is only half configured. */
export function apnsOf(values: ApnsValues) {
  return {
    driver: values.APNS_DRIVER,
    hosts: {
      production: { host: values.APNS_HOST ?? 'api.push.apple.com', port: values.APNS_PORT },
      sandbox: {
        host: values.APNS_SANDBOX_HOST ?? 'api.sandbox.push.apple.com',
        port: values.APNS_SANDBOX_PORT,
      },
    },
    environments: environmentsOf(values),
    caFile: values.APNS_CA_FILE,
    /** For the topics that the apps file does not name; null when there is none. */
    signIn: signInOf(values),
    appsFile: values.PUSH_APPS_FILE ?? null,
  };
}

/** Who has given one host and no other, such as that of the push sandbox, means that host alone. */
function environmentsOf(values: ApnsValues): readonly Environment[] {
  const hasOneHost = values.APNS_HOST !== undefined && values.APNS_SANDBOX_HOST === undefined;
  return values.APNS_ENVIRONMENTS ?? (hasOneHost ? ['production'] : environments);
}

function signInOf(values: ApnsValues) {
  const key = wholeOrNothing(values, ['APNS_KEY_FILE', 'APNS_KEY_ID', 'APNS_TEAM_ID']);
  const certificate = wholeOrNothing(values, [
    'APNS_CERTIFICATE_FILE',
    'APNS_CERTIFICATE_KEY_FILE',
  ]);
  if (key !== null && certificate !== null) {
    throw new ConfigError(['APNS_CERTIFICATE_FILE is set, and APNS_KEY_FILE too: one is enough']);
  }
  if (key !== null) {
    const [keyFile = '', keyId = '', teamId = ''] = key;
    return { kind: 'token', keyFile, keyId, teamId } as const;
  }
  if (certificate === null) return null;
  const [certificateFile = '', privateKeyFile = ''] = certificate;
  return { kind: 'certificate', certificateFile, privateKeyFile } as const;
}

/** The values of these variables, or null when none of them is set; throws when only some are. */
function wholeOrNothing(
  values: ApnsValues,
  names: readonly (keyof ApnsValues & `APNS_${string}`)[],
): string[] | null {
  const given = names.filter((name) => values[name] !== undefined);
  if (given.length === 0) return null;
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length > 0) {
    throw new ConfigError(missing.map((name) => `${name} is not set, but ${given[0]} is`));
  }
  return names.map((name) => String(values[name]));
}
