import path from 'node:path';
import { z } from 'zod';
import {
  databaseVariables,
  loggingOf,
  loggingVariables,
  queueRedisVariables,
  redisVariables,
} from './common.variables.js';
import { outboundProxyFrom, outboundProxyVariables } from './outbound-proxy.variables.js';
import { pushRelayVariables, pushServiceFrom } from './push-relay.variables.js';
import { readApiKeySecret, readSecretFile, readVariables } from './read-variables.js';
import { redisNodesFrom } from './redis-servers.js';
import { filePath, secretKey, urlOf } from './variable-types.js';

export const cliVariables = z.object({
  DATA_DIR: filePath.default('.data'),
  DATABASE_URL: databaseVariables.DATABASE_URL.optional(),
  DATABASE_URL_FILE: databaseVariables.DATABASE_URL_FILE,
  DATABASE_POOL_MODE: databaseVariables.DATABASE_POOL_MODE,
  REDIS_URL: redisVariables.REDIS_URL.optional(),
  REDIS_URL_FILE: redisVariables.REDIS_URL_FILE,
  ...queueRedisVariables,
  EXTERNAL_URL: urlOf('http', 'https').optional(),
  PROXY_URL: urlOf('http', 'https').optional().meta({
    description:
      'A proxy in front of the gateways that `carillon doctor` asks besides `EXTERNAL_URL`, from inside of the network.',
  }),
  API_KEY_SECRET: secretKey.optional(),
  API_KEY_SECRET_FILE: filePath.optional(),
  PUSH_KEY_SECRET: secretKey.optional(),
  PUSH_KEY_SECRET_FILE: filePath.optional(),
  ...pushRelayVariables,
  ...outboundProxyVariables,
});

/**
 * Reads the configuration of the command line; throws ConfigError. Variables that are not set are undefined: each command
 * needs others, and takes missing addresses from the files of `npm start`.
 */
export function readCliConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(cliVariables, environment);
  const secretFile = values.API_KEY_SECRET_FILE ?? path.join(values.DATA_DIR, 'api-key-secret');
  const pushFile = values.PUSH_KEY_SECRET_FILE ?? path.join(values.DATA_DIR, 'push-key-secret');
  return Object.freeze({
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    isBehindPooler: values.DATABASE_POOL_MODE === 'transaction',
    redisUrl: values.REDIS_URL,
    /** Null: the queues are on `redisUrl`. */
    queueRedisUrls: redisNodesFrom(values.QUEUE_REDIS_URL, 'QUEUE_REDIS_URL'),
    externalUrl: values.EXTERNAL_URL,
    proxyUrl: values.PROXY_URL,
    /** The secret that encrypts stored API keys; throws ConfigError when it is neither set nor readable. */
    apiKeySecret: () => readApiKeySecret(values.API_KEY_SECRET, secretFile),
    /** The push service of another server; throws ConfigError without its address. */
    pushService: () => pushServiceFrom(values),
    /** Null: connections to the push service are direct. Throws ConfigError for a sign-in that cannot be read. */
    outboundProxy: () => outboundProxyFrom(values),
    /** The secret of encrypted notifications; throws ConfigError when it is neither set nor readable. */
    pushKeySecret: () => values.PUSH_KEY_SECRET ?? readSecretFile('PUSH_KEY_SECRET', pushFile),
  });
}

export type CliConfig = ReturnType<typeof readCliConfig>;

export const migrateVariables = z.object({
  ...loggingVariables,
  DATABASE_URL: databaseVariables.DATABASE_URL,
  DATABASE_URL_FILE: databaseVariables.DATABASE_URL_FILE,
});

/** Reads the configuration of the migration step; throws ConfigError. */
export function readMigrateConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(migrateVariables, environment);
  return Object.freeze({ logging: loggingOf(values), databaseUrl: values.DATABASE_URL });
}
