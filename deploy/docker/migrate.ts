import { Logger } from '@nestjs/common';
import { readLoggingConfig, readMigrateConfig } from '#platform/config';
import { createLogger, errorText } from '#platform/core';
import { applyMigrations, Database, SchemaCheck, type SchemaDifference } from '#platform/database';

/**
 * Applies the missing migrations and ends: the step before the programs of a new version start. With `--check` it
 * changes nothing. The exit code is 0 if the database has every migration of this release, otherwise 1.
 */
const logger = new Logger('migrate');
const CHECK = '--check';
try {
  Logger.overrideLogger(createLogger('migrate', readLoggingConfig()));
  const isCheck = isCheckAsked(process.argv.slice(2));
  const { databaseUrl } = readMigrateConfig();
  const difference = isCheck ? await check(databaseUrl) : await migrate(databaseUrl);
  if (difference.missing.length > 0) process.exitCode = 1;
  if (difference.unknown.length > 0) {
    logger.warn(
      `The database has migrations of a newer release: ${difference.unknown.join(', ')}. Nothing is changed, and the programs of this release run on it.`,
    );
  }
} catch (error) {
  logger.fatal(errorText(error));
  process.exitCode = 1;
}

/** Throws for any other argument: a misspelt check must not migrate. */
function isCheckAsked(args: readonly string[]): boolean {
  const unknown = args.find((arg) => arg !== CHECK);
  if (unknown === undefined) return args.length > 0;
  throw new Error(`Unknown argument ${unknown}: the only one is ${CHECK}. Nothing was changed.`);
}

async function migrate(databaseUrl: string): Promise<SchemaDifference> {
  const applied = await applyMigrations(databaseUrl);
  logger.log(applied.length === 0 ? 'Nothing to apply' : `Applied ${applied.join(', ')}`);
  return compare(databaseUrl);
}

async function check(databaseUrl: string): Promise<SchemaDifference> {
  const difference = await compare(databaseUrl);
  const { missing } = difference;
  if (missing.length === 0) logger.log('The database has every migration of this release');
  else logger.error(`The database lacks ${missing.join(', ')}`);
  return difference;
}

async function compare(databaseUrl: string): Promise<SchemaDifference> {
  const database = new Database({ url: databaseUrl, poolSize: 1 });
  try {
    return await new SchemaCheck(database).compare();
  } finally {
    await database.onApplicationShutdown();
  }
}
