import { z } from 'zod';
import { readVariables } from './read-variables.js';
import { urlOf } from './variable-types.js';

export const variables = z.object({
  TEST_DATABASE_URL: urlOf('postgresql', 'postgres'),
  TEST_REDIS_URL: urlOf('redis', 'rediss'),
});

/**
 * Reads where the stores of a test run are: those that `npm test` starts and throws away, so that a
 * test never touches another server. Throws ConfigError outside of `npm test`.
 */
export function readTestStoresConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  return Object.freeze({
    databaseUrl: values.TEST_DATABASE_URL,
    redisUrl: values.TEST_REDIS_URL,
  });
}

export type TestStoresConfig = ReturnType<typeof readTestStoresConfig>;
