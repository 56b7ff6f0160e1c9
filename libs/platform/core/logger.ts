import { ConsoleLogger, type LogLevel } from '@nestjs/common';

/** Levels from the most to the least urgent. */
const levels: LogLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];

/** The logger of a program, down to `level`: one JSON object per line, or text for people. */
export function createLogger(options: { level: LogLevel; format: 'json' | 'text' }): ConsoleLogger {
  return new ProgramLogger({
    json: options.format === 'json',
    colors: options.format === 'text',
    logLevels: levels.slice(0, levels.indexOf(options.level) + 1),
  });
}

/** The contexts of the start messages of the framework. */
const frameworkContexts = new Set([
  'NestFactory',
  'NestApplication',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

/** The logger of Nest, with the start messages of the framework demoted to debug. */
class ProgramLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && frameworkContexts.has(context)) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }

  /** The time of day is enough for a reader of a terminal; `npm start` prefixes each line with the program. */
  protected override getTimestamp(): string {
    return new Date().toTimeString().slice(0, 8);
  }

  protected override formatPid(): string {
    return '';
  }
}
