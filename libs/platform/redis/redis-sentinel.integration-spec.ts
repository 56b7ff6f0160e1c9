import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { eventually } from '#test/eventually';
import { hasSentinel, SentinelGroup } from '#test/redis-sentinels';
import { readRedisFacts } from './redis-facts.js';
import { closeRedis, openQueueingRedis, openRedis, untilReady } from './redis.js';

const describing = hasSentinel ? describe : describe.skip;

describing('A group that Redis Sentinel watches (skipped without redis-server)', () => {
  let group: SentinelGroup;
  let quick: Redis;
  let queueing: Redis;

  beforeAll(async () => {
    group = await SentinelGroup.start();
    quick = openRedis(group.url, 'test');
    queueing = openQueueingRedis(group.url, 'test', () => 100);
    await Promise.all([untilReady(quick, 5000), untilReady(queueing, 5000)]);
  });
  afterAll(async () => {
    await Promise.all([closeRedis(quick), closeRedis(queueing)]);
    await group.remove();
  });

  it('is used through its primary', async () => {
    expect(await readRedisFacts(group.url)).toMatchObject({ role: 'master' });
  });

  it('goes on with its replica after the end of the primary, under load', async () => {
    let stored = 0;
    let failures = 0;
    const end = new AbortController();
    const load = (async () => {
      while (!end.signal.aborted) {
        await quick.incr('count').then(
          (count) => (stored = count),
          () => (failures += 1),
        );
        await delay(5);
      }
    })();
    await eventually(() => expect(stored).toBeGreaterThan(50));
    await quick.wait(1, 1000);
    const before = stored;
    await group.killPrimary();
    // A queueing connection has no failure: it repeats the command at the new primary.
    const waiting = queueing.set('queued', 'yes');
    await eventually(() => expect(stored).toBeGreaterThan(before + 50));
    expect(await waiting).toBe('OK');
    end.abort();
    await load;
    expect(failures).toBeGreaterThan(0);
    expect(await quick.get('queued')).toBe('yes');
    expect(await readRedisFacts(group.url)).toMatchObject({ role: 'master' });
  });
});
