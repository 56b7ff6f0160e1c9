import type { ConsoleLogger, INestApplicationContext } from '@nestjs/common';
import { readLoggingConfig, unknownVariables } from '#config';
import { createLogger } from './create-logger.js';
import { endOnDefect } from './end-on-defect.js';
import { errorText } from './error-text.js';

/** What a program writes can be read by its own account alone. */
const OWNER_ONLY = 0o077;

/**
 * Runs one program: reads its configuration, starts it, and stops it in order on SIGTERM or SIGINT.
 * SIGHUP stops it too, unless `onHangUp` says what else it does.
 *
 * A program that cannot start says why in one entry of the log and exits with 1, so that whoever
 * started it may try again. One that meets an error that nothing handles logs it and exits with 1, too.
 */
export async function runProgram<Config>(
  name: string,
  readConfig: () => Config,
  start: (config: Config, logger: ConsoleLogger) => Promise<INestApplicationContext>,
  onHangUp?: (app: INestApplicationContext) => void,
): Promise<void> {
  // Who runs no program does not load the framework with this lib.
  const { Logger } = await import('@nestjs/common');
  process.umask(OWNER_ONLY);
  // Before the configuration, whose faults are logged in the format that was asked for.
  const output = await createLogger(readLoggingConfig());
  Logger.overrideLogger(output);
  const logger = new Logger(name);
  endOnDefect(logger);
  try {
    const config = readConfig();
    const unknown = unknownVariables();
    if (unknown.length > 0) {
      logger.warn(`No program reads these variables; are they misspelt? ${unknown.join(', ')}`);
    }
    const app = await start(config, output);
    if (onHangUp === undefined) app.enableShutdownHooks();
    else {
      app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
      process.on('SIGHUP', () => onHangUp(app));
    }
    logger.log('Ready');
  } catch (error) {
    logger.fatal(errorText(error));
    process.exitCode = 1;
    // Whatever was half started must not hold the process; the log has been written.
    setImmediate(() => process.exit());
  }
}
