import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, type LimitState } from '#contracts';
import { RateLimits } from '#rate-limits';
import { closeRedis, openRedis, type Redis, untilReady } from '#redis';
import { layWire, type SeverableWire } from '../support/severable-wire.js';
import { testRedisUrl } from '../support/test-stores.js';

const rules = {
  user: [
    { seconds: 3600, calls: 5 },
    { seconds: 60, calls: 3 },
  ],
  address: [{ seconds: 60, calls: 2 }],
  file: [{ seconds: 60, calls: 2 }],
  'sign-in': [{ seconds: 1800, calls: 1 }],
};

describe(RateLimits.name, () => {
  let wire: SeverableWire;
  let redis: Redis;
  let sut: RateLimits;
  let key: string;

  /** What one charge of this test's user does. */
  async function charge(limits = sut): Promise<{ state: LimitState | undefined; error: unknown }> {
    let state: LimitState | undefined;
    let error: unknown;
    await limits
      .charge('user', key, (heard) => {
        state = heard;
      })
      .catch((thrown: unknown) => {
        error = thrown;
      });
    return { state, error };
  }

  beforeAll(async () => {
    wire = await layWire(testRedisUrl());
    redis = openRedis(wire.url, 'test', { enableAutoPipelining: true });
    await untilReady(redis, 5000);
    sut = new RateLimits(redis, rules);
  });

  afterAll(async () => {
    await closeRedis(redis);
    await wire.sever();
  });

  beforeEach(() => {
    key = randomUUID();
  });

  it('shows how the widest rule stands', async () => {
    const { state, error } = await charge();
    expect(error).toBeUndefined();
    expect(state).toMatchObject({ limit: 5, remaining: 4 });
    const inSeconds = (state?.resetsAt ?? 0) - Date.now() / 1000;
    expect(inSeconds).toBeGreaterThan(3590);
    expect(inSeconds).toBeLessThanOrEqual(3601);
    expect(Number.isInteger(state?.resetsAt)).toBe(true);
  });

  it('refuses by the narrowest rule that is exceeded, and says how long to wait', async () => {
    for (let call = 0; call < 3; call += 1) expect((await charge()).error).toBeUndefined();
    const { state, error } = await charge();
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ errorName: 'rateLimited', error: { status: 429 } });
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

  it('counts each key and each kind of entity apart', async () => {
    await sut.charge('address', key);
    await sut.charge('address', key);
    await expect(sut.charge('address', key)).rejects.toMatchObject({ errorName: 'rateLimited' });
    await sut.charge('address', randomUUID());
    expect((await charge()).state).toMatchObject({ remaining: 4 });
  });

  it('counts for all processes together', async () => {
    const other = new RateLimits(redis, rules);
    await charge(other);
    expect((await charge()).state).toMatchObject({ remaining: 3 });
  });

  it('lets no more through than allowed when all come at once', async () => {
    const charges = await Promise.all(Array.from({ length: 20 }, () => charge()));
    expect(charges.filter(({ error }) => error === undefined)).toHaveLength(3);
  });

  it('forgives', async () => {
    await sut.charge('sign-in', key);
    await expect(sut.charge('sign-in', key)).rejects.toMatchObject({ errorName: 'rateLimited' });
    await sut.forgive('sign-in', key);
    await expect(sut.charge('sign-in', key)).resolves.toBeUndefined();
  });

  it('tells what is used up before the next call is refused, and charges nothing for it', async () => {
    for (let call = 0; call < 3; call += 1) {
      expect(await sut.isUsedUp('user', key)).toBe(false);
      await charge();
    }
    expect(await sut.isUsedUp('user', key)).toBe(true);
    expect((await charge()).state).toMatchObject({ remaining: 1 });
  });

  it('puts nothing of a key into Redis, and nothing longer than a digest', async () => {
    const long = `${key}${'x'.repeat(1_000_000)}`;
    wire.reset();
    await sut.charge('sign-in', long);
    await sut.isUsedUp('sign-in', long);
    await sut.forgive('sign-in', long);
    expect(wire.asked).not.toContain(key);
    expect(wire.asked.length).toBeLessThan(2000);
  });

  it('asks Redis once for all rules and calls of a moment', async () => {
    await charge();
    wire.reset();
    await Promise.all([charge(), redis.get(`some-key:${key}`)]);
    expect(wire.roundTrips).toBe(1);
    expect(wire.asked.match(/evalsha/gi)).toHaveLength(2);
  });

  it('counts by itself while Redis is away', async () => {
    await wire.sever();
    for (let call = 0; call < 3; call += 1) expect((await charge()).error).toBeUndefined();
    expect(await charge()).toMatchObject({
      state: { limit: 5, remaining: 1 },
      error: { errorName: 'rateLimited' },
    });
    expect(await sut.isUsedUp('user', key)).toBe(true);
    await expect(sut.forgive('user', key)).resolves.toBeUndefined();
    await wire.mend();
    await untilReady(redis, 5000);
    expect((await charge()).state).toMatchObject({ remaining: 4 });
  });
});
