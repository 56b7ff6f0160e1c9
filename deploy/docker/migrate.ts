import { Logger } from '@nestjs/common';
import { readMigrateConfig } from '#config';
import { createLogger, errorText } from '#core';
import { applyMigrations } from '#database';

/** Brings the database up to date and ends: the step that comes before the programs of a new version. */
const logger = new Logger('migrate');
try {
  const config = readMigrateConfig();
  Logger.overrideLogger(await createLogger(config.logging));
  const applied = await applyMigrations(config.databaseUrl);
  logger.log(applied.length === 0 ? 'Nothing to apply' : `Applied ${applied.join(', ')}`);
} catch (error) {
  logger.fatal(errorText(error));
  process.exitCode = 1;
}
