import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { testRedisUrl } from '#test/test-stores';
import type { GatewayReport } from './gateway-report.js';
import { GatewayReportStore } from './gateway-report.store.js';

const NOW = 1_800_000_000_000;

let redis: Redis;
let sut: GatewayReportStore;

beforeAll(async () => {
  redis = openRedis(testRedisUrl(), 'tests');
  await untilReady(redis, 10_000);
  sut = new GatewayReportStore(redis);
});
afterAll(() => closeRedis(redis));

const reportOf = (reportedAt: number, startedAt = 0): GatewayReport => ({
  id: randomUUID(),
  host: 'gateway',
  pid: 1,
  startedAt,
  reportedAt,
  heldPolls: 2,
  windows: { organisations: 1, events: 3, bytes: 4 },
  lastMinute: { polls: 5, delivered: 6, readFromLog: 0, overflowed: 0, lagMs: null },
});

/** Those of the given gateways that are shown; the gateways of other tests use the same Redis. */
const shownOf = async (given: readonly { readonly id: string }[]): Promise<string[]> => {
  const ids = new Set(given.map(({ id }) => id));
  return (await sut.recent(NOW)).map(({ id }) => id).filter((id) => ids.has(id));
};

describe(GatewayReportStore.name, () => {
  it('has the last report of each gateway, the longest running first', async () => {
    const [young, old] = [reportOf(NOW, 2), reportOf(NOW, 1)];
    for (const report of [young, old, { ...old, heldPolls: 9 }]) await sut.report(report);
    expect(await shownOf([young, old])).toEqual([old.id, young.id]);
    expect(await sut.recent(NOW)).toContainEqual({ ...old, heldPolls: 9 });
  });

  it('leaves out gateways without a report for 30 seconds, and those that have shut down', async () => {
    const [silent, gone] = [reportOf(NOW - 30_000), reportOf(NOW)];
    for (const report of [silent, gone]) await sut.report(report);
    await sut.forget(gone.id);
    expect(await shownOf([silent, gone])).toEqual([]);
  });

  it('leaves out the reports of another version', async () => {
    const other = { ...reportOf(NOW), windows: undefined };
    await redis.hset('carillon:events:gateways', other.id, JSON.stringify(other));
    await redis.hset('carillon:events:gateways', 'broken', '{');
    expect(await shownOf([other, { id: 'broken' }])).toEqual([]);
  });
});
