import { isLoopback } from './loopback.js';
import { z } from 'zod';
import { allOrNone, ConfigError } from './read-variables.js';
import { fileOf, urlOf } from './variable-types.js';

/** A UUID of version 4 in lower case, as services compare it. */
const ORG_ID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const ORG_KEY = /^[!-9;-~]{64}$/;

const isKey = (text: string): boolean => ORG_KEY.test(text);
const KEY_FORM = 'expected 64 characters without spaces and colons';

const serviceUrl = urlOf('https', 'http')
  .refine((value) => isBase(value), {
    message: 'expected an address without a user, a query and a fragment',
  })
  .refine((value) => isSafe(value), {
    message: 'expected https://; http:// is for loopback addresses only',
  })
  .transform((value) => value.replace(/\/+$/, ''));

function isBase(value: string): boolean {
  if (!URL.canParse(value)) return true;
  const { username, password, search, hash } = new URL(value);
  return `${username}${password}${search}${hash}` === '';
}

function isSafe(value: string): boolean {
  if (!URL.canParse(value)) return true;
  const { protocol, hostname } = new URL(value);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
}

export const pushRelayVariables = {
  PUSH_SERVICE_URL: serviceUrl.optional().meta({
    isShared: true,
    takes: '`https://…`',
    description:
      'The [push service](push-relay.md) that holds the tokens of phones and sends to Apple and Google for this server. `http://` is for loopback addresses only.',
  }),
  PUSH_SERVICE_ORG_ID: z
    .string()
    .regex(ORG_ID, 'expected a UUID of version 4 in lower case')
    .optional()
    .meta({
      isShared: true,
      takes: 'UUID',
      description: 'The id under which this server is registered at the push service.',
    }),
  PUSH_SERVICE_ORG_KEY: z.string().refine(isKey, { message: KEY_FORM }).optional().meta({
    isShared: true,
    takes: '64 characters',
    description: 'The key that belongs to that id.',
  }),
  PUSH_SERVICE_ORG_KEY_FILE: fileOf('PUSH_SERVICE_ORG_KEY'),
};

/** The push service that this server relays through. */
interface PushRelayConfig {
  /** Without a slash at its end. */
  readonly url: string;
  readonly orgId: string;
  /** Secret. */
  readonly orgKey: string;
}

type RelayValues = z.infer<z.ZodObject<typeof pushRelayVariables>>;

/** Null for a server that does not relay. Throws ConfigError for an incomplete configuration. */
export function pushRelayFrom(values: RelayValues): PushRelayConfig | null {
  const complete = allOrNone(values, [
    'PUSH_SERVICE_URL',
    'PUSH_SERVICE_ORG_ID',
    'PUSH_SERVICE_ORG_KEY',
  ]);
  return (
    complete && {
      url: complete.PUSH_SERVICE_URL,
      orgId: complete.PUSH_SERVICE_ORG_ID,
      orgKey: complete.PUSH_SERVICE_ORG_KEY,
    }
  );
}

/** The push service of another server, where this one may have yet to register. */
interface OtherPushService {
  /** Without a slash at its end. */
  readonly url: string;
  /** Null for a server that has no id and key. */
  readonly signIn: Pick<PushRelayConfig, 'orgId' | 'orgKey'> | null;
}

/** Throws ConfigError without an address, and for an id without a key. */
export function pushServiceFrom(values: RelayValues): OtherPushService {
  const url = values.PUSH_SERVICE_URL;
  if (url === undefined) throw new ConfigError(['PUSH_SERVICE_URL is not set']);
  const signIn = allOrNone(values, ['PUSH_SERVICE_ORG_ID', 'PUSH_SERVICE_ORG_KEY']);
  return {
    url,
    signIn: signIn && { orgId: signIn.PUSH_SERVICE_ORG_ID, orgKey: signIn.PUSH_SERVICE_ORG_KEY },
  };
}

/**
 * Throws ConfigError for a server that relays and has one of these variables too: a server either sends to Apple and Google
 * itself, or has a service do so.
 */
export function assertOnlyRelay<Values extends Readonly<Record<string, unknown>>>(
  relay: PushRelayConfig | null,
  values: Values,
  names: readonly (keyof Values & string)[],
): void {
  if (relay === null) return;
  const others = names.filter((name) => values[name] !== undefined && values[name] !== false);
  if (others.length === 0) return;
  throw new ConfigError(
    others.map((name) => `${name} is set, and PUSH_SERVICE_URL too: only one of them can send`),
  );
}
