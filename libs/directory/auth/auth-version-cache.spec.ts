import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PubSub, Redis, Topic } from '#platform/redis';
import { AuthVersionCache } from './auth-version-cache.js';
import type { AuthVersionStore } from './auth-versions.store.js';
import type { Renewal, SignInLeaseStore } from './sign-in-leases.store.js';

const USER = 7;
const renewed: Renewal = { isRenewed: true };

describe(AuthVersionCache.name, () => {
  let redis: EventEmitter;
  let renew: jest.MockedFunction<SignInLeaseStore['renew']>;
  let current: jest.MockedFunction<AuthVersionStore['current']>;
  let raise: jest.MockedFunction<AuthVersionStore['raise']>;
  let publish: () => void;
  let sut: AuthVersionCache;

  /** Lets the promises of a renewal settle. */
  const settle = () => jest.advanceTimersByTimeAsync(0);

  /** Sends a change of accounts to the gateway; null for all accounts. */
  const change = async (last: string, changed: readonly number[] | null): Promise<void> => {
    renew.mockResolvedValueOnce({ isRenewed: false, last, changed });
    publish();
    await settle();
  };

  beforeEach(async () => {
    jest.useFakeTimers();
    redis = new EventEmitter();
    renew = jest.fn<SignInLeaseStore['renew']>().mockResolvedValue(renewed);
    current = jest.fn<AuthVersionStore['current']>().mockResolvedValue(1);
    raise = jest.fn<AuthVersionStore['raise']>().mockResolvedValue(5);
    const release = jest.fn(() => Promise.resolve());
    const onMessage = jest.fn((_topic: Topic<unknown>, listener: () => void) => {
      publish = listener;
    });
    sut = new AuthVersionCache(
      { current, raise } as unknown as AuthVersionStore,
      { renew, release } as unknown as SignInLeaseStore,
      { onMessage } as unknown as PubSub,
      redis as unknown as Redis,
    );
    renew.mockResolvedValueOnce({ isRenewed: false, last: '1', changed: null });
    sut.onApplicationBootstrap();
    await settle();
  });

  afterEach(async () => {
    const stopped = sut.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(2000);
    await stopped;
    jest.useRealTimers();
  });

  it('reads a version once while it renews its lease', async () => {
    expect(sut.known(USER)).toBeNull();
    expect(await sut.current(USER)).toBe(1);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(sut.known(USER)).toBe(1);
    expect(await sut.current(USER)).toBe(1);
    expect(current).toHaveBeenCalledTimes(1);
    expect(renew.mock.calls.length).toBeGreaterThan(100);
    expect(renew.mock.calls.at(-1)?.[1]).toBe('1');
  });

  it('uses no version after the end of its lease, and again with the next one', async () => {
    await sut.current(USER);
    renew.mockRejectedValue(new Error('Command timed out'));
    await jest.advanceTimersByTimeAsync(600);
    expect(sut.known(USER)).toBe(1);
    await jest.advanceTimersByTimeAsync(400);
    expect(sut.known(USER)).toBeNull();
    renew.mockResolvedValue(renewed);
    await jest.advanceTimersByTimeAsync(400);
    expect(sut.known(USER)).toBe(1);
  });

  it('counts a lease from its request, not from the answer of Redis', async () => {
    await sut.current(USER);
    renew.mockImplementation(async () => {
      await new Promise((resolve) => setTimeout(resolve, 940));
      return renewed;
    });
    publish();
    await jest.advanceTimersByTimeAsync(945);
    expect(sut.known(USER)).toBe(1);
    await jest.advanceTimersByTimeAsync(10);
    expect(sut.known(USER)).toBeNull();
  });

  it('forgets the versions of changed accounts, and asks for a lease with the change', async () => {
    await sut.current(USER);
    await sut.current(8);
    await change('2', [USER]);
    expect(sut.known(USER)).toBeNull();
    expect(sut.known(8)).toBe(1);
    expect(renew.mock.calls.at(-1)?.[1]).toBe('2');
  });

  it('keeps the version that it has raised', async () => {
    expect(await sut.raise(USER, 4)).toBe(5);
    expect(sut.known(USER)).toBe(5);
    raise.mockResolvedValueOnce(null);
    expect(await sut.raise(8, 4)).toBeNull();
    expect(sut.known(8)).toBeNull();
  });

  it('forgets all versions if any may have changed', async () => {
    await sut.current(USER);
    await change('2', null);
    expect(sut.known(USER)).toBeNull();
  });

  it('does not keep a version that was read while a change was applied', async () => {
    let answer: (version: number) => void = () => undefined;
    current.mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    const reading = sut.current(USER);
    await change('2', [USER]);
    answer(1);
    expect(await reading).toBe(1);
    expect(sut.known(USER)).toBeNull();
  });

  it('takes no lease from an answer that comes after the gateway has given it back', async () => {
    await sut.current(USER);
    let answer: (renewal: Renewal) => void = () => undefined;
    renew.mockReturnValueOnce(
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    publish();
    await sut.beforeApplicationShutdown();
    answer(renewed);
    await settle();
    expect(sut.known(USER)).toBeNull();
  });

  it('has neither a lease nor versions after a lost connection', async () => {
    await sut.current(USER);
    redis.emit('close');
    expect(sut.known(USER)).toBeNull();
    publish();
    await settle();
    expect(renew.mock.calls.at(-1)?.[1]).toBe('');
    expect(sut.known(USER)).toBeNull();
  });
});
