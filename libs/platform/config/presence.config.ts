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
  tracingOf,
  tracingVariables,
} from './common.variables.js';
import { outboundProxyFrom, outboundProxyVariables } from './outbound-proxy.variables.js';
import { readVariables } from './read-variables.js';
import { redisServersFrom } from './redis-servers.js';
import { sharedSettingsOf } from './shared-settings.js';
import { fileOf, flag, listenHost, port, redisServers, wholeNumber } from './variable-types.js';

const presenceRedisVariables = {
  PRESENCE_REDIS_URL_FILE: fileOf('PRESENCE_REDIS_URL'),
  PRESENCE_REDIS_URL: redisServers.optional().meta({
    byDefault: '`REDIS_URL`',
    description:
      'The Redis of presence alone. Several addresses with commas between are nodes of one [Redis Cluster](operations.md#presence-on-redis-cluster), as in `QUEUE_REDIS_URL`.',
  }),
};

export const presenceVariables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  ...presenceRedisVariables,
  ...tracingVariables,
  ...outboundProxyVariables,
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
    isShared: true,
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
    tracing: tracingOf(values),
    /** Null: the connection to the collector is direct. */
    outboundProxy: outboundProxyFrom(values),
    database: storesOf(values).database,
    /** The Redis of all programs. */
    commonRedis: storesOf(values).redis,
    shared: sharedSettingsOf(presenceVariables, { ...values, PRESENCE_SECRET: secret }),
    redis: redisServersFrom(values, 'PRESENCE_REDIS_URL'),
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
