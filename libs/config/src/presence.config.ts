import { z } from 'zod';
import {
  databaseVariables,
  loggingOf,
  loggingVariables,
  redisVariables,
  storesOf,
} from './common.variables.js';
import { presenceRedisFrom, presenceRedisVariables } from './presence-redis.variables.js';
import {
  assertSecretFor,
  presenceSecretFrom,
  presenceSecretVariables,
} from './presence-secret.variables.js';
import { presenceTimingFrom, presenceTimingVariables } from './presence-timing.variables.js';
import { readVariables } from './read-variables.js';
import { flag, listenHost, port, wholeNumber } from './variable-types.js';

export const variables = z.object({
  ...loggingVariables,
  ...databaseVariables,
  ...redisVariables,
  ...presenceRedisVariables,
  ...presenceTimingVariables,
  PRESENCE_HOST: listenHost.default('127.0.0.1'),
  ...presenceSecretVariables,
  PRESENCE_PORT: port.default(9993),
  PRESENCE_HEALTH_PORT: port.default(9997),
  PRESENCE_BATCH_MS: wholeNumber(0, 100).default(2),
  PRESENCE_FLUSH_SECONDS: wholeNumber(1, 600).default(30),
  CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: flag.default(false),
});

/** Reads the configuration of presence; throws ConfigError. */
export function readPresenceConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  const secret = presenceSecretFrom(values);
  assertSecretFor(values.PRESENCE_HOST, secret);
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
