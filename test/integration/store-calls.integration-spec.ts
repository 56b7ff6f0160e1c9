import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeCallSeconds } from '#platform/core';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { createTestDatabase, type TestDatabase, testRedisUrl } from '#test/test-stores';

describe('carillon_store_call_seconds', () => {
  let stores: TestDatabase;
  let redis: Redis;

  beforeAll(async () => {
    stores = await createTestDatabase();
    redis = openRedis(testRedisUrl(), 'tests', { enableAutoPipelining: true });
    await untilReady(redis, 10_000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await stores.drop();
  });

  /** The calls of some work. */
  async function callsOf(store: keyof typeof storeCallSeconds, work: () => Promise<unknown>) {
    const count = () => storeCallSeconds[store].counts.reduce((sum, calls) => sum + calls, 0);
    const before = count();
    await work();
    return count() - before;
  }

  it('counts each statement and each commit once', async () => {
    const { database } = stores;
    const one = () => database.query('one', 'SELECT 1');
    expect(await callsOf('postgresql', one)).toBe(1);
    const transaction = () =>
      database.transaction(async (session) => {
        await session.query('one', 'SELECT 1');
        await session.query('two', 'SELECT 2');
      });
    expect(await callsOf('postgresql', transaction)).toBe(3);
  });

  it('counts a pipeline of Redis once', async () => {
    const pipeline = () => Promise.all(Array.from({ length: 100 }, () => redis.exists('nothing')));
    expect(await callsOf('redis', pipeline)).toBe(1);
    expect(await callsOf('redis', pipeline)).toBe(1);
  });

  it('does not count a failed call, and counts the next one', async () => {
    const wrong = () => redis.call('NOTHING').catch(() => undefined);
    expect(await callsOf('redis', wrong)).toBe(0);
    expect(await callsOf('redis', () => redis.exists('nothing'))).toBe(1);
    const refused = () => stores.database.query('wrong', 'SELECT nothing').catch(() => undefined);
    expect(await callsOf('postgresql', refused)).toBe(0);
  });
});
