import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Metrics } from '#platform/telemetry';
import { WatchedCredentials } from '#push/providers';
import { CredentialRotation } from './credential-rotation.js';

describe(CredentialRotation.name, () => {
  let present: string;
  let used: string[];
  let isClosed: boolean;
  let metrics: Metrics;
  let sut: CredentialRotation;

  beforeEach(() => {
    jest.useFakeTimers();
    Logger.overrideLogger(false);
    present = 'first';
    used = [];
    isClosed = false;
    const watched = new WatchedCredentials<string>(
      {
        name: 'Apple',
        read: async () => {
          if (present === '') throw new Error('no such file');
          return present;
        },
        expiriesOf: (name) => [{ name, expiresAt: 1_700_000_000_000 }],
        use: (next) => void used.push(next),
      },
      present,
    );
    metrics = new Metrics();
    sut = new CredentialRotation(
      {
        transports: {},
        credentials: [watched],
        close: async () => {
          isClosed = true;
        },
      },
      metrics,
    );
    sut.onApplicationBootstrap();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('reads the files about every five seconds until the shutdown', async () => {
    present = 'second';
    await jest.advanceTimersByTimeAsync(3999);
    expect(used).toEqual([]);
    await jest.advanceTimersByTimeAsync(2001);
    expect(used).toEqual(['second']);

    await sut.onApplicationShutdown();
    expect(isClosed).toBe(true);
    present = 'third';
    await jest.advanceTimersByTimeAsync(60_000);
    expect(used).toEqual(['second']);
  });

  it('exports the expiry of the credentials in use', async () => {
    present = 'second';
    await sut.reload();
    expect(await metrics.read()).toContain(
      'carillon_push_credential_expires_timestamp_seconds{credential="second"} 1700000000\n',
    );
  });

  it('reads the files on request and reports faults to health', async () => {
    await expect(sut.check()).resolves.toBeUndefined();
    present = '';
    await sut.reload();
    await expect(sut.check()).rejects.toThrow('cannot be used: no such file');
  });
});
