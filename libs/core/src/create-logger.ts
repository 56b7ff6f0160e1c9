import type { ConsoleLogger, LogLevel } from '@nestjs/common';

/** Levels from the most to the least urgent, as Nest names them. */
const levels: LogLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];

/** The program's logger: one JSON object a line for machines, or text for people, down to `level`. */
export async function createLogger(options: {
  level: LogLevel;
  format: 'json' | 'text';
}): Promise<ConsoleLogger> {
  // Who takes no logger from this lib does not load the framework with it.
  const { ProgramLogger } = await import('./program-logger.js');
  return new ProgramLogger({
    json: options.format === 'json',
    colors: options.format === 'text',
    logLevels: levels.slice(0, levels.indexOf(options.level) + 1),
  });
}
