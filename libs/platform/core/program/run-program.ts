import { type INestApplicationContext, Logger, type LoggerService } from '@nestjs/common';
import {
  ConfigError,
  hostAndPort,
  readLoggingConfig,
  type ServerAddress,
  unknownVariables,
} from '#platform/config';
import { errorCode, errorText } from '../failures/errors.js';
import { checkHealth, type HealthCheck } from './health.js';
import { createLogger } from './logger.js';

/** Only the account of the program may read its files. */
const OWNER_ONLY = 0o077;

/** By default Nest repeats the signal at the end, which the first process of a container ignores. */
const EXIT = { useProcessExit: true };

/** Connections that open at the start have this time before the first check. */
const FIRST_CHECK_MS = 2000;

/** A program after its start. */
interface StartedProgram {
  readonly app: INestApplicationContext;
  /** The address on which it listens. */
  readonly address: ServerAddress;
  /** The checks of its readiness. */
  readonly checks: readonly HealthCheck[];
}

/**
 * Runs one program: reads its configuration, starts it, and stops it gracefully on SIGTERM or SIGINT. SIGHUP stops it too,
 * unless `onHangUp` is given.
 *
 * A failed start and an unhandled error are logged, and the program exits with 1. A program whose stores do not answer starts;
 * each part that is not ready is logged once.
 */
export async function runProgram<Config>(
  name: string,
  readConfig: () => Config,
  start: (config: Config, logger: LoggerService) => Promise<StartedProgram>,
  onHangUp?: (app: INestApplicationContext) => void,
): Promise<void> {
  process.umask(OWNER_ONLY);
  // Before the configuration, so that its errors are logged in the configured format.
  const output = createLogger(name, readLoggingConfig());
  Logger.overrideLogger(output);
  const logger = new Logger(name);
  endOnDefect(logger);
  try {
    const config = readConfig();
    const unknown = unknownVariables();
    if (unknown.length > 0) {
      logger.warn(`No program reads these variables; are they misspelt? ${unknown.join(', ')}`);
    }
    const { app, address, checks } = await start(config, output);
    if (onHangUp === undefined) app.enableShutdownHooks([], EXIT);
    else {
      app.enableShutdownHooks(['SIGTERM', 'SIGINT'], EXIT);
      process.on('SIGHUP', () => onHangUp(app));
    }
    logger.log(`Started, listens on ${hostAndPort(address)}`);
    setTimeout(() => void logUnreadyParts(checks, logger), FIRST_CHECK_MS).unref();
  } catch (error) {
    logger.fatal(errorText(error));
    process.exitCode = 1;
    // Started parts must not keep the process alive. The log has been written.
    setImmediate(() => process.exit());
  }
}

async function logUnreadyParts(
  checks: readonly HealthCheck[],
  logger: Pick<LoggerService, 'warn'>,
): Promise<void> {
  const { failing } = await checkHealth(checks);
  for (const [part, reason] of Object.entries(failing)) {
    const place = checks.find(({ name }) => name === part)?.place;
    logger.warn(`Not ready: ${part}${place === undefined ? '' : ` at ${place}`}: ${reason}`);
  }
}

/**
 * Ends the program with exit code 1 after an unhandled rejection or exception, because its state is unknown. The error is
 * logged. The supervisor restarts the program; durable state is in PostgreSQL.
 */
export function endOnDefect(
  logger: Pick<LoggerService, 'error'>,
  source: NodeJS.EventEmitter = process,
): void {
  const endAfter = (what: string) => (thrown: unknown) => {
    const stack = thrown instanceof Error ? thrown.stack : String(thrown);
    logger.error(`${what}; the program ends: ${String(thrown)}`, stack);
    process.exitCode = 1;
    // After the log entry has been written.
    setImmediate(() => process.exit());
  };
  source.on('uncaughtException', endAfter('An error was not handled'));
  source.on('unhandledRejection', endAfter('A rejected promise was not handled'));
}

const HOST_FAULTS: ReadonlySet<unknown> = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EAI_AGAIN',
  'EINVAL',
  'ENOTFOUND',
]);

/** Node gives the address in its message: `listen EADDRINUSE: address already in use 127.0.0.1:9991`. */
const inUseText = (error: unknown): string =>
  `${errorText(error).split(' ').at(-1)} is in use by another process`;

/** Rethrows the error of a failed `listen` as ConfigError with the name of the variable at fault, one of the given ones. */
export const rethrowListenError =
  ({ host, port }: { readonly host: string; readonly port: string }) =>
  (error: unknown): never => {
    const code = errorCode(error);
    if (code === 'EADDRINUSE') throw new ConfigError([`${port}: ${inUseText(error)}`]);
    if (code === 'EACCES') throw new ConfigError([`${port}: ${errorText(error)}`]);
    if (HOST_FAULTS.has(code)) throw new ConfigError([`${host}: ${errorText(error)}`]);
    throw error;
  };
