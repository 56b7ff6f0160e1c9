import path from 'node:path';
import { z } from 'zod';
import { readApiKeySecret } from './api-key-secret.js';
import { databaseVariables, redisVariables } from './common.variables.js';
import { readVariables } from './read-variables.js';
import { secretKey, urlOf } from './variable-types.js';

export const variables = z.object({
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: databaseVariables.DATABASE_URL.optional(),
  REDIS_URL: redisVariables.REDIS_URL.optional(),
  EXTERNAL_URL: urlOf('http', 'https').optional(),
  API_KEY_SECRET: secretKey.optional(),
  API_KEY_SECRET_FILE: z.string().optional(),
});

/**
 * Reads the configuration of the command line; throws ConfigError. What is not set is undefined: which of it
 * a command needs is seen when it needs it, and `npm start` may have it.
 */
export function readCliConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  const secretFile = values.API_KEY_SECRET_FILE ?? path.join(values.DATA_DIR, 'api-key-secret');
  return Object.freeze({
    dataDir: values.DATA_DIR,
    databaseUrl: values.DATABASE_URL,
    redisUrl: values.REDIS_URL,
    externalUrl: values.EXTERNAL_URL,
    /** The secret under which API keys are stored; throws ConfigError when it is neither set nor readable. */
    apiKeySecret: () => readApiKeySecret(values.API_KEY_SECRET, secretFile),
  });
}

export type CliConfig = ReturnType<typeof readCliConfig>;
