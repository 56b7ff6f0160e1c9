import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { NoAccessToken } from '../transport/send-signed-in.js';
import { FcmAccessToken } from './fcm-access-token.js';
import type { AccessToken } from './fcm-token-request.js';

const HOUR_MS = 3_600_000;
const noToken = new NoAccessToken({ kind: 'unanswered', reason: 'connection' });

let requests: { resolve: (token: AccessToken) => void; reject: (error: Error) => void }[];
let sut: FcmAccessToken;

beforeAll(() => Logger.overrideLogger(false));

beforeEach(() => {
  jest.useFakeTimers();
  requests = [];
  sut = new FcmAccessToken(
    () => new Promise((resolve, reject) => void requests.push({ resolve, reject })),
  );
});

afterEach(() => {
  jest.useRealTimers();
});

/** Answers the last request. */
async function give(text: string, lifeMs = HOUR_MS): Promise<void> {
  requests.at(-1)?.resolve({ text, expiresAt: Date.now() + lifeMs });
  await jest.advanceTimersByTimeAsync(0);
}

/** Fails the last request. */
async function fail(): Promise<void> {
  requests.at(-1)?.reject(noToken);
  await jest.advanceTimersByTimeAsync(0);
}

async function obtain(text: string, lifeMs?: number): Promise<void> {
  const token = sut.current();
  await give(text, lifeMs);
  expect(await token).toBe(text);
}

describe(FcmAccessToken.name, () => {
  it('shares one request between concurrent callers', async () => {
    const tokens = [sut.current(), sut.current()];
    await give('a');
    expect(await Promise.all(tokens)).toEqual(['a', 'a']);
    expect(sut.current()).toBe('a');
    expect(requests).toHaveLength(1);
  });

  it('does not wait for the next token while the current one is valid', async () => {
    await obtain('a');
    jest.advanceTimersByTime(HOUR_MS - 200_000);
    expect(sut.current()).toBe('a');
    expect(requests).toHaveLength(2);
    expect(sut.current()).toBe('a');
    await give('b');
    expect(sut.current()).toBe('b');
    expect(requests).toHaveLength(2);
  });

  it('pauses between failed renewals', async () => {
    await obtain('a');
    jest.advanceTimersByTime(HOUR_MS - 200_000);
    for (let count = 0; count < 5; count += 1) {
      expect(sut.current()).toBe('a');
      await fail();
    }
    expect(requests).toHaveLength(2);
    jest.advanceTimersByTime(10_000);
    expect(sut.current()).toBe('a');
    expect(requests).toHaveLength(3);
  });

  it('renews a token of a short life after half of it', async () => {
    await obtain('a', 60_000);
    jest.advanceTimersByTime(29_000);
    expect(sut.current()).toBe('a');
    expect(requests).toHaveLength(1);
    jest.advanceTimersByTime(1000);
    expect(sut.current()).toBe('a');
    expect(requests).toHaveLength(2);
  });

  it('waits for another token when the current one has expired', async () => {
    await obtain('a');
    jest.advanceTimersByTime(HOUR_MS);
    const token = Promise.resolve(sut.current());
    await fail();
    await expect(token).rejects.toBe(noToken);
    await obtain('b');
  });

  it('does not use a refused token again', async () => {
    await obtain('a');
    sut.reportRefused('a');
    await obtain('b');
    sut.reportRefused('a');
    expect(sut.current()).toBe('b');
  });
});
