import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, type LimitState, requestErrors } from '#platform/contracts';
import { RateLimits } from '#platform/rate-limits';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { startTcpProxy, type TcpProxy } from '#test/tcp-proxy';
import { testRedisUrl } from '#test/test-stores';

const rules = {
  user: [
    { seconds: 3600, calls: 5 },
    { seconds: 60, calls: 3 },
  ],
  address: [{ seconds: 60, calls: 2 }],
  file: [{ seconds: 60, calls: 2 }],
  'sign-in': [{ seconds: 1800, calls: 1 }],
  'event-queue': [
    { seconds: 3600, calls: 1000 },
    { seconds: 60, calls: 20 },
  ],
};

describe(RateLimits.name, () => {
  let proxy: TcpProxy;
  let redis: Redis;
  let sut: RateLimits;
  let key: string;

  /** What one charge of this test's user does. */
  async function charge(limits = sut): Promise<{ state: LimitState | undefined; error: unknown }> {
    let state: LimitState | undefined;
    let error: unknown;
    await limits
      .charge('user', key, {
        onCharged: (heard) => {
          state = heard;
        },
      })
      .catch((thrown: unknown) => {
        error = thrown;
      });
    return { state, error };
  }

  beforeAll(async () => {
    proxy = await startTcpProxy(testRedisUrl());
    redis = openRedis(proxy.url, 'test', { enableAutoPipelining: true });
    await untilReady(redis, 5000);
    sut = new RateLimits(redis, rules);
  });

  afterAll(async () => {
    await closeRedis(redis);
    await proxy.close();
  });

  beforeEach(() => {
    key = randomUUID();
  });

  it('reports the state of the widest rule', async () => {
    const { state, error } = await charge();
    expect(error).toBeUndefined();
    expect(state).toMatchObject({ limit: 5, remaining: 4 });
    const inSeconds = (state?.resetsAt ?? 0) - Date.now() / 1000;
    expect(inSeconds).toBeGreaterThan(3590);
    expect(inSeconds).toBeLessThanOrEqual(3601);
    expect(Number.isInteger(state?.resetsAt)).toBe(true);
  });

  it('rejects by an exceeded rule, with the time to wait', async () => {
    for (let call = 0; call < 3; call += 1) expect((await charge()).error).toBeUndefined();
    const { state, error } = await charge();
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ error: requestErrors.rateLimited });
    // It is an ApiError, as has been seen.
    const wait = Number((error as ApiError).fields['retry-after']);
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(60);
    expect(state).toMatchObject({ limit: 5, remaining: 1 });
  });

  it('waits for the widest rule when that is exceeded', async () => {
    for (let call = 0; call < 5; call += 1) await charge();
    const { state, error } = await charge();
    expect(state).toMatchObject({ remaining: 0 });
    // The limit is exceeded, so it is an ApiError.
    expect(Number((error as ApiError).fields['retry-after'])).toBeGreaterThan(3590);
  });

  it('counts each key and each kind of entity separately', async () => {
    await sut.charge('address', key);
    await sut.charge('address', key);
    await expect(sut.charge('address', key)).rejects.toMatchObject({
      error: requestErrors.rateLimited,
    });
    await sut.charge('address', randomUUID());
    expect((await charge()).state).toMatchObject({ remaining: 4 });
  });

  it('counts for all processes together', async () => {
    const other = new RateLimits(redis, rules);
    await charge(other);
    expect((await charge()).state).toMatchObject({ remaining: 3 });
  });

  it('accepts no more concurrent calls than allowed', async () => {
    const charges = await Promise.all(Array.from({ length: 20 }, () => charge()));
    expect(charges.filter(({ error }) => error === undefined)).toHaveLength(3);
  });

  it('forgets the charges of a key', async () => {
    await sut.charge('sign-in', key);
    await expect(sut.charge('sign-in', key)).rejects.toMatchObject({
      error: requestErrors.rateLimited,
    });
    await sut.reset('sign-in', key);
    await expect(sut.charge('sign-in', key)).resolves.toBeUndefined();
  });

  it('reports a used-up limit without a charge', async () => {
    for (let call = 0; call < 2; call += 1) {
      expect(await sut.isExhausted('address', key)).toBe(false);
      await sut.charge('address', key);
    }
    expect(await sut.isExhausted('address', key)).toBe(true);
  });

  it('stores only digests of keys in Redis', async () => {
    const long = `${key}${'x'.repeat(1_000_000)}`;
    proxy.reset();
    await sut.charge('sign-in', long);
    await sut.isExhausted('sign-in', long);
    await sut.reset('sign-in', long);
    expect(proxy.requests).not.toContain(key);
    expect(proxy.requests.length).toBeLessThan(2000);
  });

  it('sends one pipeline to Redis for all rules and concurrent calls', async () => {
    await charge();
    proxy.reset();
    await Promise.all([charge(), redis.get(`some-key:${key}`)]);
    expect(proxy.roundTrips).toBe(1);
    expect(proxy.requests.match(/evalsha/gi)).toHaveLength(2);
  });

  it('charges a call in memory only while no rule needs a report', async () => {
    proxy.reset();
    expect([1, 2, 3].map(() => sut.chargeDeferred('event-queue', key))).toEqual([
      true,
      true,
      false,
    ]);
    expect(proxy.roundTrips).toBe(0);
    const states: LimitState[] = [];
    await sut.charge('event-queue', key, { onCharged: (state) => states.push(state) });
    expect(states).toMatchObject([{ limit: 1000, remaining: 997 }]);
  });

  it('counts in memory while Redis is down', async () => {
    await proxy.close();
    for (let call = 0; call < 3; call += 1) expect((await charge()).error).toBeUndefined();
    expect(await charge()).toMatchObject({
      state: { limit: 5, remaining: 1 },
      error: { error: requestErrors.rateLimited },
    });
    await sut.charge('file', key);
    await sut.charge('file', key);
    expect(await sut.isExhausted('file', key)).toBe(true);
    await expect(sut.reset('file', key)).resolves.toBeUndefined();
    expect(await sut.isExhausted('file', key)).toBe(false);
    await proxy.reopen();
    await untilReady(redis, 5000);
    expect((await charge()).state).toMatchObject({ remaining: 4 });
  });
});
