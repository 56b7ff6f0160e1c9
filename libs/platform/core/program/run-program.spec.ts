import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConsoleLogger, type INestApplicationContext, Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ConfigError } from '#platform/config';
import type { HealthCheck } from './health.js';
import { endOnDefect, rethrowListenError, runProgram } from './run-program.js';

@Module({})
class EmptyModule {}

const config = { logging: { level: 'log', format: 'json' } } as const;

const started = (app: INestApplicationContext, checks: readonly HealthCheck[] = []) => ({
  app,
  address: { host: '::1', port: 9991 },
  checks,
});

const defects = ['uncaughtException', 'unhandledRejection'];
const emitter: EventEmitter = process;
/** The listeners of Jest. */
const known = new Set(defects.flatMap((event) => emitter.rawListeners(event)));

function removeDefectListeners(): void {
  for (const event of defects) {
    for (const listener of emitter.rawListeners(event) as (() => void)[]) {
      if (!known.has(listener)) emitter.off(event, listener);
    }
  }
}

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
      // Resolves the promise instead of ending the process.
      jest.spyOn(process, 'exit').mockImplementation(() => resolve() as never);
    });
  });

  afterEach(() => {
    jest.useRealTimers();
    removeDefectListeners();
    jest.restoreAllMocks();
    process.exitCode = undefined;
    Logger.overrideLogger(new ConsoleLogger());
  });

  it('starts the program with its configuration and logs its address', async () => {
    let app: INestApplicationContext | undefined;
    await runProgram(
      'program',
      () => config,
      async (given, logger) => {
        expect(given).toBe(config);
        app = await NestFactory.createApplicationContext(EmptyModule, { logger });
        return started(app);
      },
    );
    expect(JSON.parse(written)).toMatchObject({
      message: 'Started, listens on [::1]:9991',
      context: 'program',
    });
    expect(process.exitCode).toBeUndefined();
    await app?.close();
  });

  it('logs each part that is not ready after its start', async () => {
    jest.useFakeTimers();
    const app = await NestFactory.createApplicationContext(EmptyModule);
    const fails = (reason: string) => () => Promise.reject(new Error(reason));
    await runProgram(
      'program',
      () => config,
      async () =>
        started(app, [
          {
            name: 'postgresql',
            place: 'db:5432 (DATABASE_URL)',
            check: fails('database "nodb" does not exist'),
          },
          { name: 'apns', check: fails('no worker') },
          { name: 'schema', check: () => Promise.resolve() },
          { name: 'presence', isWarning: true, check: fails('0 of 1 processes can be reached') },
        ]),
    );
    await jest.runOnlyPendingTimersAsync();
    const lines = written.split('\n').filter((line) => line.includes('"level":"warn"'));
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      'Not ready: postgresql at db:5432 (DATABASE_URL): database "nodb" does not exist',
      'Not ready: apns: no worker',
    ]);
    await app.close();
  });

  it('warns once of unknown variables', async () => {
    process.env['SIGN_IN_CACHE_SECNDS'] = 'a secret';
    const app = await NestFactory.createApplicationContext(EmptyModule);
    await runProgram(
      'program',
      () => config,
      async () => started(app),
    );
    delete process.env['SIGN_IN_CACHE_SECNDS'];
    expect(written.match(/"level":"warn"/g)).toHaveLength(1);
    expect(written).toContain('SIGN_IN_CACHE_SECNDS');
    expect(written).not.toContain('a secret');
    await app.close();
  });

  it('exits after its shutdown on SIGTERM, also as the first process of a container', async () => {
    const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
    const app = await NestFactory.createApplicationContext(EmptyModule);
    await runProgram(
      'program',
      () => config,
      async () => started(app),
    );
    process.emit('SIGTERM');
    await exited;
    expect(process.exit).toHaveBeenCalledWith(0);
    expect(kill).not.toHaveBeenCalled();
    await app.close();
  });

  it('calls onHangUp on SIGHUP and continues', async () => {
    const app = await NestFactory.createApplicationContext(EmptyModule);
    const close = jest.spyOn(app, 'close');
    const onHangUp = jest.fn();
    await runProgram(
      'program',
      () => config,
      async () => started(app),
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
  ])('logs the reason and exits with 1 when %s', async (_when, readConfig, reason) => {
    await runProgram('program', readConfig, () => Promise.reject(new Error('the port is taken')));
    await exited;
    // One line: log collectors read line by line.
    expect(written.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(written)).toMatchObject({ level: 'fatal', context: 'program' });
    expect(JSON.parse(written).message).toContain(reason);
    expect(process.exitCode).toBe(1);
  });
});

describe(endOnDefect.name, () => {
  afterEach(() => {
    jest.restoreAllMocks();
    process.exitCode = undefined;
  });

  it.each(['uncaughtException', 'unhandledRejection'])(
    'logs an %s as an error and ends the program with 1',
    async (event) => {
      const exited = new Promise<void>((resolve) => {
        // Resolves the promise instead of ending the process.
        jest.spyOn(process, 'exit').mockImplementation(() => resolve() as never);
      });
      const error = jest.fn();
      const source = new EventEmitter();
      endOnDefect({ error }, source);
      source.emit(event, new TypeError('x is not a function'));
      await exited;
      expect(error).toHaveBeenCalledWith(
        expect.stringContaining('x is not a function'),
        expect.stringContaining('run-program.spec'),
      );
      expect(process.exitCode).toBe(1);
    },
  );
});

const listen = async (port: number, host: string) => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  return server;
};

describe(rethrowListenError.name, () => {
  it('names the variable of a port in use', async () => {
    const server = await listen(0, '127.0.0.1');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const second = listen(port, '127.0.0.1').catch(
      rethrowListenError({ host: 'HOST', port: 'PORT' }),
    );
    await expect(second).rejects.toThrow(ConfigError);
    await expect(second).rejects.toThrow(`PORT: 127.0.0.1:${port} is in use by another process`);
    server.close();
  });

  it('names the variable of an address of another machine', async () => {
    const fault = listen(0, '192.0.2.1').catch(rethrowListenError({ host: 'HOST', port: 'PORT' }));
    await expect(fault).rejects.toThrow(/HOST: .*EADDRNOTAVAIL/);
  });

  it('rethrows any other error', () => {
    const error = new Error('another');
    expect(() => rethrowListenError({ host: 'HOST', port: 'PORT' })(error)).toThrow(error);
  });
});
