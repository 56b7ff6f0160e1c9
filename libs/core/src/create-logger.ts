import { ConsoleLogger, type LogLevel } from '@nestjs/common';

/** Levels from the most to the least urgent, as Nest names them. */
const levels: LogLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];

/** What the framework tells of its own start: of use to who debugs the wiring, and to nobody else. */
const frameworkContexts = new Set([
  'NestFactory',
  'NestApplication',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

class ProgramLogger extends ConsoleLogger {
  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && frameworkContexts.has(context)) this.debug(message, ...rest);
    else super.log(message, ...rest);
  }

  /** Who reads along needs the time of day; which process it was, `npm start` says before each line. */
  protected override getTimestamp(): string {
    return new Date().toTimeString().slice(0, 8);
  }

  protected override formatPid(): string {
    return '';
  }
}

/** The program's logger: one JSON object a line for machines, or text for people, down to `level`. */
export function createLogger(options: { level: LogLevel; format: 'json' | 'text' }): ConsoleLogger {
  return new ProgramLogger({
    json: options.format === 'json',
    colors: options.format === 'text',
    logLevels: levels.slice(0, levels.indexOf(options.level) + 1),
  });
}
