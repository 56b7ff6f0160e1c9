import type { ConsoleLogger, INestApplicationContext } from '@nestjs/common';
import { createLogger } from './create-logger.js';
import { errorText } from './error-text.js';

interface Logging {
  readonly level: 'error' | 'warn' | 'log' | 'debug' | 'verbose';
  readonly format: 'json' | 'text';
}

/**
 * Runs one program: reads its configuration, starts it, and stops it in order on SIGTERM or SIGINT.
 * SIGHUP stops it too, unless `onHangUp` says what else it does.
 *
 * A program that cannot start says why in one entry of the log and exits with 1, so that whoever
 * started it may try again.
 */
export async function runProgram<Config extends { readonly logging: Logging }>(
  name: string,
  readConfig: () => Config,
  start: (config: Config, logger: ConsoleLogger) => Promise<INestApplicationContext>,
  onHangUp?: (app: INestApplicationContext) => void,
): Promise<void> {
  // Who runs no program does not load the framework with this lib.
  const { Logger } = await import('@nestjs/common');
  try {
    const config = readConfig();
    const logger = await createLogger(config.logging);
    Logger.overrideLogger(logger);
    const app = await start(config, logger);
    if (onHangUp === undefined) app.enableShutdownHooks();
    else {
      app.enableShutdownHooks(['SIGTERM', 'SIGINT']);
      process.on('SIGHUP', () => onHangUp(app));
    }
    new Logger(name).log('Ready');
  } catch (error) {
    new Logger(name).fatal(errorText(error));
    process.exitCode = 1;
    // Whatever was half started must not hold the process; the log has been written.
    setImmediate(() => process.exit());
  }
}
