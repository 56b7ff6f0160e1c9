import type { LoggerService } from '@nestjs/common';

/**
 * Ends the program when a promise is rejected or an error is thrown and nothing handles it: such a defect leaves the
 * program in a state that nobody has thought of. It is logged as an error, in the format of the log, and the exit code
 * is 1. The program is started again by what runs it; what must not be lost is in PostgreSQL.
 */
export function endOnDefect(
  logger: Pick<LoggerService, 'error'>,
  source: NodeJS.EventEmitter = process,
): void {
  const endAfter = (what: string) => (thrown: unknown) => {
    const stack = thrown instanceof Error ? thrown.stack : String(thrown);
    logger.error(`${what}; the program ends: ${String(thrown)}`, stack);
    process.exitCode = 1;
    // The entry has been written by then.
    setImmediate(() => process.exit());
  };
  source.on('uncaughtException', endAfter('An error was not handled'));
  source.on('unhandledRejection', endAfter('A rejected promise was not handled'));
}
