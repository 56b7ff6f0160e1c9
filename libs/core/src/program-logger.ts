import { ConsoleLogger } from '@nestjs/common';

/** What the framework tells of its own start: of use to who debugs the wiring, and to nobody else. */
const frameworkContexts = new Set([
  'NestFactory',
  'NestApplication',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

/** Nest's logger, with what the framework says of itself told to nobody but who debugs. */
export class ProgramLogger extends ConsoleLogger {
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
