import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { WatchedCredentials } from '#push/providers';
import { CredentialRotation } from './credential-rotation.js';

describe(CredentialRotation.name, () => {
  let present: string;
  let used: string[];
  let isClosed: boolean;
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
        use: (next) => void used.push(next),
      },
      present,
    );
    sut = new CredentialRotation({
      transports: {},
      credentials: [watched],
      close: async () => {
        isClosed = true;
      },
    });
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

  it('reads the files on request and reports faults to health', async () => {
    await expect(sut.check()).resolves.toBeUndefined();
    present = '';
    await sut.reload();
    await expect(sut.check()).rejects.toThrow('cannot be used: no such file');
  });
});
