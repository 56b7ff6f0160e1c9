import { z } from 'zod';
import { readVariables } from './read-variables.js';
import { port, urlOf } from './variable-types.js';

export const variables = z.object({
  TEST_DATABASE_URL: urlOf('postgresql', 'postgres'),
  TEST_REDIS_URL: urlOf('redis', 'rediss'),
  TEST_GATEWAYS_PORT: port,
  TEST_LONG: z.stringbool().default(false),
  JEST_WORKER_ID: z.string().default('1'),
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
    /** Where the process that runs Jest tells its workers about their gateways. */
    gatewaysPort: values.TEST_GATEWAYS_PORT,
    /** Whether random tests run long, on a seed of their own. */
    isLong: values.TEST_LONG,
    /** Which of Jest's workers this is. */
    workerId: values.JEST_WORKER_ID,
  });
}

export type TestStoresConfig = ReturnType<typeof readTestStoresConfig>;
