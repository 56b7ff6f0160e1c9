import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { testRedisUrl } from '#test/test-stores';
import { closeRedis, openRedis, untilReady } from './redis.js';
import { ReportStore } from './report-store.js';

const NOW = 1_800_000_000_000;
const LIFE_MS = 20_000;
const HOUR_MS = 3_600_000;

const schema = z.object({
  id: z.string(),
  startedAt: z.number(),
  reportedAt: z.number(),
  load: z.number(),
});
const report = { id: 'one', startedAt: NOW, reportedAt: NOW, load: 1 };

let redis: Redis;
let key: string;
let sut: ReportStore<z.infer<typeof schema>>;

beforeAll(async () => {
  redis = openRedis(testRedisUrl(), 'tests');
  await untilReady(redis, 10_000);
});
beforeEach(() => {
  key = `test-${randomUUID()}`;
  sut = new ReportStore(redis, { key, schema, lifeMs: LIFE_MS });
});
afterAll(() => closeRedis(redis));

const ids = async () => (await sut.recent(NOW)).map(({ id }) => id);

describe(ReportStore.name, () => {
  it('has the last report of each process, the longest running first', async () => {
    await sut.report(report);
    await sut.report({ ...report, id: 'older', startedAt: NOW - 1 });
    await sut.report({ ...report, load: 9 });
    expect(await sut.recent(NOW)).toMatchObject([{ id: 'older', load: 1 }, { load: 9 }]);
  });

  it('leaves out processes that have shut down', async () => {
    await sut.report(report);
    await sut.forget(report.id);
    expect(await ids()).toEqual([]);
    expect(await redis.keys(`${key}*`)).toEqual([]);
  });

  it('leaves out silent processes, and removes their ids', async () => {
    await sut.report(report);
    expect(await redis.pttl(`${key}:one`)).toBeGreaterThan(LIFE_MS - 5000);
    expect(await redis.pttl(`${key}:one`)).toBeLessThanOrEqual(LIFE_MS);
    await redis.del(`${key}:one`);
    expect(await ids()).toEqual([]);
    expect(await redis.exists(`${key}s`)).toBe(0);
  });

  it.each([-2 * HOUR_MS, 2 * HOUR_MS])(
    'keeps all processes although the clock of one is wrong by %d ms',
    async (wrongBy) => {
      await sut.report({ ...report, id: 'wrong', reportedAt: NOW + wrongBy, startedAt: 0 });
      await redis.pexpire(`${key}:wrong`, LIFE_MS - 6000);
      await sut.report(report);
      await sut.recent(NOW + wrongBy);
      const ages = (await sut.recent(NOW)).map(({ reportedAt }) => NOW - reportedAt);
      expect(ages).toEqual([expect.closeTo(6000, -3), expect.closeTo(0, -3)]);
    },
  );

  it('leaves out the reports of another version', async () => {
    for (const [id, text] of [
      ['other', '{"v":2}'],
      ['broken', '{'],
    ] as const) {
      await redis.set(`${key}:${id}`, text);
      await redis.zadd(`${key}s`, 1, id);
    }
    await sut.report(report);
    expect(await ids()).toEqual(['one']);
    await sut.forget('other');
    await sut.forget('broken');
  });

  it('is not disturbed by the previous release, which removes ids below its time', async () => {
    await sut.report(report);
    await redis.zremrangebyscore(`${key}s`, '-inf', NOW);
    expect(await ids()).toEqual(['one']);
  });
});
