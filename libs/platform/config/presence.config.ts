import { z } from 'zod';
import {
  assertPresenceSecret,
  databaseVariables,
  loggingOf,
  loggingVariables,
  presenceSecretFrom,
  presenceSecretVariables,
  presenceTimingFrom,
  presenceTimingVariables,
  redisVariables,
  storesOf,
} from './common.variables.js';
import { ConfigError, readVariables } from './read-variables.js';
import { authorityFault } from './redis-address.js';
import { sentinelAddress } from './sentinel-address.js';
import { fileOf, flag, list, listenHost, port, wholeNumber } from './variable-types.js';

const presenceRedisVariables = {
  PRESENCE_REDIS_URL_FILE: fileOf('PRESENCE_REDIS_URL'),
  PRESENCE_REDIS_URL: list.optional().meta({
    takes: '`redis://…`, `rediss://…`, or several',
    byDefault: '`REDIS_URL`',
    description:
      'The Redis of presence alone. Several addresses with commas between are nodes of one Redis Cluster; the others are found through them. They have the same protocol, user and password, and no database number.',
  }),
};

interface PresenceRedisValues {
  REDIS_URL: string;
  PRESENCE_REDIS_URL?: readonly string[] | undefined;
}

/** One URL stands for a single server, several for nodes of one Redis Cluster. */
interface PresenceRedisConfig {
  /** The variable that holds the URLs. */
  readonly variable: 'PRESENCE_REDIS_URL' | 'REDIS_URL';
  readonly urls: readonly string[];
}

/** Throws ConfigError for URLs that cannot belong to one server or one cluster. */
function presenceRedisFrom(values: PresenceRedisValues): PresenceRedisConfig {
  const urls = values.PRESENCE_REDIS_URL ?? [values.REDIS_URL];
  const fault = faultOf(urls);
  if (fault !== null) throw new ConfigError([`PRESENCE_REDIS_URL: ${fault}`]);
  const variable = values.PRESENCE_REDIS_URL === undefined ? 'REDIS_URL' : 'PRESENCE_REDIS_URL';
  return { urls, variable };
}

function faultOf(urls: readonly string[]): string | null {
  return formFaultOf(urls) ?? urls.map(authorityFault).find((fault) => fault !== null) ?? null;
}

function formFaultOf(urls: readonly string[]): string | null {
  if (urls.length === 1 && sentinelAddress(urls[0] ?? '') !== null) return null;
  if (urls.length === 0 || !urls.every(isRedisUrl)) {
    return 'expected an address that begins with redis:// or rediss://, or several with commas between';
  }
  if (urls.length === 1) return null;
  const nodes = urls.map((url) => new URL(url));
  if (new Set(nodes.map(({ host }) => host)).size < nodes.length) {
    return 'expected each node of the cluster once';
  }
  if (new Set(nodes.map(accessOf)).size > 1) {
    return 'expected the same protocol, user and password, and the same ssl_ca_certs, for all nodes of the cluster';
  }
  if (nodes.some(({ pathname, search }) => !/^\/?0?$/.test(pathname) || !isAuthority(search))) {
    return 'expected nodes of a cluster without a database number or options';
  }
  return null;
}

const isRedisUrl = (url: string): boolean =>
  URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol) && new URL(url).hostname !== '';

const isAuthority = (search: string): boolean => /^(?:\?ssl_ca_certs=[^&]+)?$/.test(search);

const accessOf = ({ protocol, username, password, search }: URL): string =>
  [protocol, username, password, search].join(' ');

export const presenceVariables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  ...presenceRedisVariables,
  ...presenceTimingVariables,
  PRESENCE_HOST: listenHost.default('127.0.0.1').meta({
    description:
      'For the gateways and for health. Any other than a loopback address needs `PRESENCE_SECRET`. Keep it on a private network: nothing is encrypted, and health has no sign-in.',
  }),
  ...presenceSecretVariables,
  PRESENCE_PORT: port.default(9993).meta({ description: 'For the gateways.' }),
  PRESENCE_HEALTH_PORT: port
    .default(9997)
    .meta({ description: '`/health/live`, `/health/ready` and `/metrics`.' }),
  PRESENCE_BATCH_MS: wholeNumber(0, 100)
    .default(2)
    .meta({ description: 'How long reports are batched before they go to Redis in one call.' }),
  PRESENCE_FLUSH_SECONDS: wholeNumber(1, 600).default(30).meta({
    description: 'How often last seen is written to PostgreSQL.',
  }),
  CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: flag.default(false).meta({
    description:
      'Whether guests see the presence only of people with whom they share a channel or a conversation. Else that of others [without their addresses](api.md#guests-who-cannot-see-everyone).',
  }),
});

/** Reads the configuration of presence; throws ConfigError. */
export function readPresenceConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(presenceVariables, environment);
  const secret = presenceSecretFrom(values);
  assertPresenceSecret(values.PRESENCE_HOST, secret);
  return Object.freeze({
    logging: loggingOf(values),
    database: storesOf(values).database,
    redis: presenceRedisFrom(values),
    secret,
    rpc: { host: values.PRESENCE_HOST, port: values.PRESENCE_PORT },
    health: { host: values.PRESENCE_HOST, port: values.PRESENCE_HEALTH_PORT },
    timing: presenceTimingFrom(values),
    batchMs: values.PRESENCE_BATCH_MS,
    flushSeconds: values.PRESENCE_FLUSH_SECONDS,
    limitsAccess: values.CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE,
  });
}

export type PresenceConfig = ReturnType<typeof readPresenceConfig>;
