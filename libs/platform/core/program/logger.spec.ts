import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { createLogger, setLogContext } from './logger.js';

describe(createLogger.name, () => {
  let written: string[];

  beforeEach(() => {
    written = [];
    jest
      .spyOn(process.stdout, 'write')
      .mockImplementation((text: unknown) => written.push(String(text)) > 0);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const entry = () => {
    expect(written).toHaveLength(1);
    // Log collectors read line by line.
    expect(written[0]).toMatch(/^[^\n]+\n$/);
    return JSON.parse(written[0] ?? '') as Record<string, unknown>;
  };

  const jsonLogger = () => createLogger('program', { level: 'log', format: 'json' });

  it('writes one JSON object per line', () => {
    jsonLogger().log('hello\nworld', 'Context');
    expect(entry()).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'program',
      context: 'Context',
      message: 'hello\nworld',
    });
  });

  it.each([
    ['an error', (error: Error) => error],
    ['a stack', (error: Error) => error.stack],
  ])('writes the stack of %s beside the message and its fields', (_what, part) => {
    const error = new TypeError('x is not a function');
    jsonLogger().error({ message: 'A request failed', request_id: '17' }, part(error), 'Context');
    expect(entry()).toMatchObject({
      level: 'error',
      context: 'Context',
      message: 'A request failed',
      request_id: '17',
      stack: error.stack,
    });
  });

  it('writes an error that is the message as its text and its stack', () => {
    const error = new Error('no room');
    jsonLogger().warn(error);
    expect(entry()).toMatchObject({ level: 'warn', message: 'no room', stack: error.stack });
  });

  it('writes the fields of the context', () => {
    setLogContext(() => ({ trace_id: 'a1' }));
    jsonLogger().log('hello');
    setLogContext(() => ({}));
    expect(entry()).toMatchObject({ message: 'hello', trace_id: 'a1' });
  });

  it("demotes the framework's entry for a port in use, which it also rejects with", () => {
    jsonLogger().error('Error: listen EADDRINUSE: address already in use', 'NestApplication');
    expect(written).toEqual([]);
  });

  it("keeps the framework's other errors", () => {
    jsonLogger().error('app.listen() needs to be called', 'NestApplication');
    expect(entry()).toMatchObject({ level: 'error', context: 'NestApplication' });
  });

  it('demotes the start messages of the framework to debug', () => {
    jsonLogger().log('Starting Nest application...', 'NestFactory');
    expect(written).toEqual([]);
  });

  it('serves the loggers of Nest', () => {
    Logger.overrideLogger(jsonLogger());
    new Logger('Context').error('It failed');
    Logger.overrideLogger(true);
    expect(entry()).toMatchObject({ level: 'error', context: 'Context', message: 'It failed' });
  });

  it('writes entries of its level and above, as text', () => {
    const sut = createLogger('program', { level: 'warn', format: 'text' });
    sut.log('a log');
    sut.warn('a warning', 'Context');
    sut.error('an error', 'Error: because\n    at place.ts:1:1', 'Context');
    expect(written.join('')).not.toContain('a log');
    expect(written.join('')).toMatch(/\[Context\].*a warning[^]*an error[^]*\n +at place\.ts:1:1/);
  });
});
