import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readTestStoresConfig } from '#platform/config';
import type { QueueName } from '#push/jobs';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { Metrics } from '#platform/telemetry';
import type { AppPruneAlarm } from '#push/breakers';
import type { BreakerReport } from './worker-report.js';
import { InFlightPushes } from './in-flight-pushes.js';
import { OutcomeCounter } from './outcome-counter.js';
import { observeWorkers } from './pipeline-metrics.js';
import { BUCKET_MS, PushActivityStore } from './push-activity.store.js';
import { WorkerReports } from './worker-reports.js';

const NOW = 1_700_000_000_000;
const CONNECT_MS = 5000;
const notConnected = /isn't writeable|is closed/;

const open: BreakerReport = {
  key: 'apns:TEAM',
  platform: 'apns',
  state: 'open',
  cause: 'misconfigured',
  reason: 'InvalidProviderToken',
  since: NOW - 3000,
  reopensAt: NOW + 5000,
};
const alarm: AppPruneAlarm = { key: 'fcm', platform: 'fcm', since: NOW, dead: 60, answers: 100 };
const breakers = {
  statuses: () =>
    [{ ...open, credential: 'TEAM', openedCount: 1 }].map(({ key: _key, ...status }) => status),
};
const tokens = { alarms: [alarm] };
const delivery = { platform: 'fcm', kind: 'test', appId: null, acceptedAt: 0 } as const;

describe('the activity of a push pipeline', () => {
  let prefix: string;
  let redis: Redis;
  let store: PushActivityStore;
  let now: number;
  const clock = () => now;

  beforeEach(async () => {
    now = NOW;
    prefix = `test-${randomBytes(6).toString('hex')}`;
    redis = openRedis(readTestStoresConfig().redisUrl, 'tests');
    await untilReady(redis, CONNECT_MS);
    store = new PushActivityStore(redis, { prefix });
  });

  afterEach(async () => {
    const cleaner = openRedis(readTestStoresConfig().redisUrl, 'tests');
    await untilReady(cleaner, CONNECT_MS);
    const keys = await cleaner.keys(`${prefix}:*`);
    if (keys.length > 0) await cleaner.del(keys);
    await cleaner.quit();
    await closeRedis(redis);
  });

  describe(WorkerReports.name, () => {
    const worker = (hasProvider = false, target = store) =>
      new WorkerReports(
        target,
        new InFlightPushes(new Metrics()),
        breakers,
        tokens,
        { queues: ['push-apns'], hasProvider },
        clock,
      );

    it('reports a worker and the states of its breakers', async () => {
      const sut = worker();
      now += 4000;
      await sut.report();
      expect(await store.workers.recent(now)).toEqual([
        {
          id: expect.any(String),
          host: expect.any(String),
          pid: process.pid,
          version: expect.any(String),
          queues: ['push-apns'],
          startedAt: NOW,
          reportedAt: expect.closeTo(NOW + 4000, -3),
          inFlight: 0,
          oldestInFlightAt: { apns: null, fcm: null, web: null },
          breakers: [open],
          pruneAlarms: [alarm],
        },
      ]);
    });

    it('stores reports under keys that the previous release reads, for 15 seconds', async () => {
      await worker().report();
      const [id = ''] = await redis.zrange(`${prefix}:push:workers`, '0', '-1');
      const lifeMs = await redis.pttl(`${prefix}:push:worker:${id}`);
      expect(lifeMs).toBeGreaterThan(10_000);
      expect(lifeMs).toBeLessThanOrEqual(15_000);
    });

    it.each([true, false])('says whether a worker has a provider: %s', async (hasProvider) => {
      await worker(hasProvider).report();
      expect(await store.hasProvider()).toBe(hasProvider);
      expect(await store.workers.recent(now)).toHaveLength(1);
    });

    it('reports at each connection to Redis, before other commands', async () => {
      const connecting = openRedis(readTestStoresConfig().redisUrl, 'tests');
      const early = new PushActivityStore(connecting, { prefix });
      const sut = worker(true, early);
      sut.onApplicationBootstrap();
      await untilReady(connecting, CONNECT_MS);
      expect(await early.hasProvider()).toBe(true);
      await redis.del(`${prefix}:push:provider-configured`);
      connecting.disconnect(true);
      await once(connecting, 'close');
      await untilReady(connecting, CONNECT_MS);
      expect(await early.hasProvider()).toBe(true);
      await sut.onApplicationShutdown();
      await closeRedis(connecting);
    });

    it('rejects without Redis, so that the failure is counted', async () => {
      redis.disconnect(true);
      await once(redis, 'close');
      await expect(worker().report()).rejects.toThrow(notConnected);
    });

    it('is removed at an orderly shutdown', async () => {
      const sut = worker();
      await sut.report();
      expect(await store.workers.recent(now)).toHaveLength(1);
      await sut.onApplicationShutdown();
      expect(await store.workers.recent(now)).toEqual([]);
    });
  });

  describe(observeWorkers, () => {
    it('counts the workers of each queue, also zero', async () => {
      const metrics = new Metrics();
      observeWorkers(metrics, store, clock);
      const reports = (queues: readonly QueueName[]) =>
        new WorkerReports(
          store,
          new InFlightPushes(new Metrics()),
          breakers,
          tokens,
          { queues, hasProvider: false },
          clock,
        ).report();
      await reports(['push-apns']);
      await reports(['push-apns', 'push-control']);
      const text = await metrics.read();
      expect(text).toContain('carillon_push_queue_workers{queue="push-apns"} 2\n');
      expect(text).toContain('carillon_push_queue_workers{queue="push-control"} 1\n');
      expect(text).toContain('carillon_push_queue_workers{queue="push-fcm"} 0\n');
    });
  });

  describe(OutcomeCounter.name, () => {
    it('counts in steps of ten seconds', async () => {
      const sut = new OutcomeCounter(store, clock);
      sut.ended(delivery, 'delivered');
      now += BUCKET_MS;
      sut.ended(delivery, 'delivered');
      sut.ended(delivery, 'expired');
      await sut.flush();
      expect(await store.outcomes(NOW - 1, now)).toEqual([
        { at: NOW, counts: { 'fcm:delivered': 1 } },
        { at: NOW + BUCKET_MS, counts: { 'fcm:delivered': 1, 'fcm:expired': 1 } },
      ]);
    });

    it('adds counts that could not be written to the next write', async () => {
      const sut = new OutcomeCounter(store, clock);
      sut.pruned('apns', 2);
      redis.disconnect(true);
      await once(redis, 'close');
      await expect(sut.flush()).rejects.toThrow(notConnected);
      sut.pruned('apns', 3);
      await untilReady(redis, CONNECT_MS);
      await sut.flush();
      expect(await store.outcomes(NOW - 1, now)).toEqual([
        { at: NOW, counts: { 'apns:pruned': 5 } },
      ]);
    });

    it('does not repeat a write while Redis hangs, since it may still succeed', async () => {
      const sut = new OutcomeCounter(store, clock);
      const write = jest.spyOn(store, 'addOutcomes').mockRejectedValueOnce(new Error('hangs'));
      const ping = jest.spyOn(store, 'ping').mockRejectedValueOnce(new Error('hangs'));
      sut.pruned('apns', 2);
      await expect(sut.flush()).rejects.toThrow('hangs');
      await expect(sut.flush()).rejects.toThrow('hangs');
      expect([write.mock.calls.length, ping.mock.calls.length]).toEqual([1, 1]);
      await sut.flush();
      expect(await store.outcomes(NOW - 1, now)).toEqual([
        { at: NOW, counts: { 'apns:pruned': 2 } },
      ]);
    });
  });
});
