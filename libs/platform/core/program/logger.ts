import type { LoggerService, LogLevel } from '@nestjs/common';
import { type Level, type Logger as Pino, pino } from 'pino';
import pretty from 'pino-pretty';
import { errorText } from '../failures/errors.js';

/** The names of Nest's levels in the log. */
const levelNames: Record<LogLevel, Level> = {
  fatal: 'fatal',
  error: 'error',
  warn: 'warn',
  log: 'info',
  debug: 'debug',
  verbose: 'trace',
};

/** The contexts of the start messages of the framework. */
const frameworkContexts = new Set([
  'NestFactory',
  'NestApplication',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
]);

/** The time of day is enough for a reader of a terminal; `npm start` prefixes each line with the program. */
const textForPeople = {
  colorize: true,
  messageKey: 'message',
  messageFormat: '{if context}[{context}] {end}{message}',
  ignore: 'service,context',
  customPrettifiers: { stack: (stack: unknown) => String(stack).replaceAll('\n', '\n    ') },
  translateTime: 'SYS:HH:MM:ss',
  sync: true,
} as const;

/** An address that is in use, is not of this host or is not permitted, or a host name that is not found. */
const LISTEN_ERROR = /^Error: (?:listen|getaddrinfo) E/;

let contextFields: () => object = () => ({});

/** Sets the source of fields for every later entry of this process, as the ids of the current trace. */
export function setLogContext(fields: () => object): void {
  contextFields = fields;
}

/**
 * The logger of a program, down to `level`. With the format `json`, an entry is one line: `level`, `time`, `service`,
 * `context` (the class), `message`; `stack` and further fields where the entry has them. With the format `text`, it is coloured text. Writes to standard output before it returns.
 */
export function createLogger(
  program: string,
  options: { readonly level: LogLevel; readonly format: 'json' | 'text' },
): LoggerService {
  const settings = {
    level: levelNames[options.level],
    messageKey: 'message',
    base: { service: program },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (level: string) => ({ level }) },
    mixin: () => contextFields(),
  };
  const isText = options.format === 'text';
  return new ProgramLogger(
    pino(
      settings,
      isText ? pretty({ ...textForPeople, destination: process.stdout }) : process.stdout,
    ),
  );
}

/** Nest's interface over pino. The start messages of the framework are demoted to debug. */
class ProgramLogger implements LoggerService {
  constructor(private readonly target: Pino) {}

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    // The application rejects with the error too; runProgram names the variable at fault.
    const isListenError = LISTEN_ERROR.test(String(message)) && rest.at(-1) === 'NestApplication';
    this.#write(isListenError ? 'debug' : 'error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  log(message: unknown, ...rest: unknown[]): void {
    const isOfFramework = frameworkContexts.has(String(rest.at(-1)));
    this.#write(isOfFramework ? 'debug' : 'info', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  /** Nest passes the context last; before it, an error or its stack. */
  #write(level: Level, message: unknown, rest: readonly unknown[]): void {
    if (!this.target.isLevelEnabled(level)) return;
    const stack = [message, ...rest].map(stackOf).find((text) => text !== undefined);
    const context = rest.findLast((part) => typeof part === 'string' && part !== stack);
    this.target[level]({
      ...(context !== undefined && { context }),
      ...(isFields(message) ? message : { message: textOf(message) }),
      ...(stack !== undefined && { stack }),
    });
  }
}

/** The stack of an error, or a text that is one. */
function stackOf(part: unknown): string | undefined {
  if (part instanceof Error) return part.stack;
  return typeof part === 'string' && /\n\s+at /.test(part) ? part : undefined;
}

/** A message with further fields: `{ message, request_id }`. */
const isFields = (message: unknown): message is object =>
  typeof message === 'object' &&
  message !== null &&
  'message' in message &&
  !(message instanceof Error);

const textOf = (message: unknown): string =>
  typeof message === 'string' ? message : errorText(message);
