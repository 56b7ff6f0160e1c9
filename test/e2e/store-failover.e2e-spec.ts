import { afterEach, describe, expect, it, jest } from '@jest/globals';

import { ConfirmedWork } from '#test/confirmed-work';
import { eventually } from '#test/eventually';
import { sendRequest } from '#test/http-request';
import { hasPgBouncer, startPgBouncer } from '#test/pgbouncer';
import { hasSentinel, SentinelGroup } from '#test/redis-sentinels';
import { startSystem, type System } from '#test/start-system';
import { createTestDatabase, openTestDatabase } from '#test/test-stores';

jest.setTimeout(240_000);

const PAIRS = 2;
const BEFORE = 30;
const AFTER = 30;
/** Connections of PgBouncer to the server. */
const SERVERS = 5;
const NO_LIMITS = { RATE_LIMIT_USER: '60:1000000' };
const UNAVAILABLE = /^(?:message|presence|profile): 503 /;

let system: System | undefined;
const undoing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await system?.stop();
  system = undefined;
  for (const undo of undoing.splice(0).toReversed()) await undo();
});

/** Works before and after a fault; resolves with the failed requests. */
async function workAround(running: System, fault: () => Promise<void>): Promise<string[]> {
  const work = await ConfirmedWork.prepare(running, PAIRS);
  work.begin();
  await work.untilMore(BEFORE);
  expect(work.failures).toEqual([]);
  await fault();
  await work.untilMore(AFTER);
  await eventually(async () => {
    expect((await sendRequest(`${running.gatewayUrl}/health/ready`)).status).toBe(200);
  });
  await work.end();
  expect(await work.result()).toMatchObject({ lost: [], twice: [] });
  return work.failures;
}

(hasSentinel ? describe : describe.skip)(
  'A group that Redis Sentinel watches (skipped without redis-server)',
  () => {
    it('replaces its primary under load: no request fails, and no message is lost', async () => {
      const group = await SentinelGroup.start();
      undoing.push(() => group.remove());
      system = await startSystem({ environment: { ...NO_LIMITS, REDIS_URL: group.url } });
      expect(await workAround(system, () => group.killPrimary())).toEqual([]);
    });
  },
);

(hasPgBouncer ? describe : describe.skip)(
  'PgBouncer in transaction mode (skipped where it is not installed)',
  () => {
    it('restarts under load: requests are answered 503 at most, and no message is lost', async () => {
      const stores = await createTestDatabase('demo');
      undoing.push(() => stores.drop());
      const bouncer = await startPgBouncer(stores.url, SERVERS);
      undoing.push(() => bouncer.stop());
      // The test itself reads without the pooler.
      const database = openTestDatabase(stores.url);
      const environment = {
        ...NO_LIMITS,
        DATABASE_URL: bouncer.url,
        DATABASE_POOL_MODE: 'transaction',
      };
      system = await startSystem({ database, environment });
      const failures = await workAround(system, () => bouncer.restart());
      expect(failures.filter((failure) => !UNAVAILABLE.test(failure))).toEqual([]);
    });
  },
);
