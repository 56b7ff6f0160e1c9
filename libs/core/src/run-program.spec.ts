import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger, type INestApplicationContext, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigError } from '#config';
import { runProgram } from './run-program.js';

@Module({})
class EmptyModule {}

const config = { logging: { level: 'log', format: 'json' } } as const;

describe(runProgram.name, () => {
  let exited: Promise<void>;
  let written: string;

  beforeEach(() => {
    written = '';
    Logger.overrideLogger(new ConsoleLogger());
    const record = (text: unknown) => {
      written += String(text);
      return true;
    };
    jest.spyOn(process.stdout, 'write').mockImplementation(record);
    jest.spyOn(process.stderr, 'write').mockImplementation(record);
    exited = new Promise((resolve) => {
      // What never returns resolves the promise instead.
      jest.spyOn(process, 'exit').mockImplementation(() => resolve() as never);
    });
  });

  afterEach(() => {
    process.removeAllListeners('uncaughtException');
    process.removeAllListeners('unhandledRejection');
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  it('starts the program with its configuration and says that it is ready', async () => {
    let app: INestApplicationContext | undefined;
    await runProgram(
      'program',
      () => config,
      async (given, logger) => {
        expect(given).toBe(config);
        app = await NestFactory.createApplicationContext(EmptyModule, { logger });
        return app;
      },
    );
    expect(written).toMatch(/"message":"Ready".*"context":"program"/);
    expect(process.exitCode).toBeUndefined();
    await app?.close();
  });

  it('warns of variables that nobody reads, once', async () => {
    process.env['SIGN_IN_CACHE_SECNDS'] = 'a secret';
    const app = await NestFactory.createApplicationContext(EmptyModule);
    await runProgram(
      'program',
      () => config,
      async () => app,
    );
    delete process.env['SIGN_IN_CACHE_SECNDS'];
    expect(written.match(/"level":"warn"/g)).toHaveLength(1);
    expect(written).toContain('SIGN_IN_CACHE_SECNDS');
    expect(written).not.toContain('a secret');
    await app.close();
  });

  it('does on SIGHUP what it is told to, and goes on', async () => {
    const app = await NestFactory.createApplicationContext(EmptyModule);
    const close = jest.spyOn(app, 'close');
    const onHangUp = jest.fn();
    await runProgram(
      'program',
      () => config,
      async () => app,
      onHangUp,
    );
    process.emit('SIGHUP');
    expect(onHangUp).toHaveBeenCalledWith(app);
    expect(close).not.toHaveBeenCalled();
    process.removeAllListeners('SIGHUP');
    await app.close();
  });

  it.each([
    [
      'its configuration is unusable',
      (): typeof config => {
        throw new ConfigError(['PORT is not set', 'HOST is not set']);
      },
      'PORT is not set',
    ],
    ['it cannot start', () => config, 'the port is taken'],
  ])('says why and exits with 1 when %s', async (_when, readConfig, reason) => {
    await runProgram('program', readConfig, () => Promise.reject(new Error('the port is taken')));
    await exited;
    // One line, whatever the text: what collects logs reads line by line.
    expect(written.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(written)).toMatchObject({ level: 'fatal', context: 'program' });
    expect(JSON.parse(written).message).toContain(reason);
    expect(process.exitCode).toBe(1);
  });
});
