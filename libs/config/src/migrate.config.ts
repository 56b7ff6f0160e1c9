import { z } from 'zod';
import { databaseVariables, loggingOf, loggingVariables } from './common.variables.js';
import { readVariables } from './read-variables.js';

export const variables = z.object({
  ...loggingVariables,
  DATABASE_URL: databaseVariables.DATABASE_URL,
});

/** Reads the configuration of the one-shot step that migrates the database; throws ConfigError. */
export function readMigrateConfig(environment?: Record<string, string | undefined>) {
  const values = readVariables(variables, environment);
  return Object.freeze({ logging: loggingOf(values), databaseUrl: values.DATABASE_URL });
}

export type MigrateConfig = ReturnType<typeof readMigrateConfig>;
