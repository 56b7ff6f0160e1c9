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

describe(GatewayReportStore.name, () => {
  it('returns the report of a gateway', async () => {
    const report: GatewayReport = {
      id: randomUUID(),
      host: 'gateway',
      pid: 1,
      startedAt: 0,
      reportedAt: NOW,
      heldPolls: 2,
      windows: { organisations: 1, events: 3, bytes: 4 },
      lastMinute: { polls: 5, delivered: 6, readFromLog: 0, overflowed: 0, lagMs: null },
    };
    await sut.report(report);
    // The gateways of other tests use the same Redis.
    const shown = (await sut.recent(NOW)).filter(({ id }) => id === report.id);
    expect(shown).toEqual([{ ...report, reportedAt: expect.closeTo(NOW, -4) }]);
    await sut.forget(report.id);
  });
});
