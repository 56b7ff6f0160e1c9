import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTestStoresConfig } from '#platform/config';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import {
  CLOCK_TOLERANCE_SECONDS,
  type PresenceEntry,
  type PresenceReport,
  presenceTimingOf,
  reportKinds,
} from '#presence/rules';
import { keysOf } from './presence-keys.js';
import { PresenceStore } from './presence.store.js';

const FAR = 4_294_967_295;
/** A user as an older release may have stored one: last active, and so idle, in 2106. */
const STORED_AHEAD = Buffer.from('0000000000000100ffffffff', 'hex');

describe('The clock of Redis', () => {
  let redis: Redis;
  let sut: PresenceStore;
  let realmId: number;

  beforeAll(async () => {
    redis = openRedis(readTestStoresConfig().redisUrl, 'tests');
    await untilReady(redis, 5000);
    sut = new PresenceStore(
      redis,
      presenceTimingOf({ pingIntervalSeconds: 60, offlineThresholdSeconds: 200 }),
    );
  });

  afterAll(() => closeRedis(redis));

  beforeEach(anotherRealm);

  async function anotherRealm(): Promise<void> {
    realmId = randomInt(1_000_000, 2 ** 31);
    await sut.restore(realmId, 0, []);
  }

  const now = async (): Promise<number> => Number((await redis.time())[0]);

  const active = (at: number, kind: PresenceReport['kind'] = 'merge'): PresenceReport => {
    return { userId: 1, kind, activeAt: kind === 'merge' ? at : 0, idleAt: at, joinedAt: 7 };
  };

  async function stored(): Promise<PresenceEntry> {
    const entry = (await sut.readSnapshot(realmId))?.entries.get(1);
    if (entry === undefined) throw new Error('The user is not there');
    return entry;
  }

  /** The greatest time that is stored of anybody. */
  async function latestStored(): Promise<number> {
    const entries = (await sut.readSnapshot(realmId))?.entries.values() ?? [];
    return Math.max(
      0,
      ...[...entries].flatMap((one) => [one.activeAt, one.idleAt, one.hiddenAt, one.joinedAt]),
    );
  }

  it('bounds the times of any history of reports and restored entries', async () => {
    const around = (at: number) =>
      fc.oneof(
        fc.integer({ min: at - 1000, max: at }),
        fc.integer({ min: at + 60, max: at + 10_000 }),
        fc.constant(FAR),
      );
    const began = await now();
    const step = fc.record({
      isRestored: fc.boolean(),
      userId: fc.integer({ min: 1, max: 2 }),
      kind: fc.constantFrom(...reportKinds),
      activeAt: fc.option(around(began), { nil: 0 }),
      idleAt: around(began),
      hiddenAt: fc.option(around(began), { nil: 0 }),
      joinedAt: around(began),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await anotherRealm();
        for (const { isRestored, kind, hiddenAt, ...times } of steps) {
          const entry = { ...times, hiddenAt, isDeactivated: false, id: 1 };
          if (isRestored) await sut.restore(realmId, 0, [entry]);
          else await sut.report(realmId, 0, [{ ...times, kind }]);
        }
        expect(await latestStored()).toBeLessThanOrEqual((await now()) + CLOCK_TOLERANCE_SECONDS);
      }),
      { numRuns: 100 },
    );
  });

  it('bounds the times of a restored realm', async () => {
    await redis.del(keysOf(realmId).meta);
    const times = { activeAt: FAR, idleAt: FAR, hiddenAt: FAR, joinedAt: FAR };
    await sut.restore(realmId, 0, [{ userId: 1, ...times, isDeactivated: false, id: 5 }]);
    expect(await latestStored()).toBeLessThanOrEqual((await now()) + CLOCK_TOLERANCE_SECONDS);
    expect((await stored()).id).toBe(5);
  });

  it('counts reports that are ahead by more than the tolerance', async () => {
    const at = await now();
    const outcome = await sut.report(realmId, 0, [
      active(at),
      active(at + 4),
      active(at + 60),
      active(FAR, 'hide'),
    ]);
    expect(outcome?.aheadReports).toBe(2);
  });

  it('lets a user go invisible and visible after a time far ahead', async () => {
    await sut.report(realmId, 0, [active(FAR, 'hide')]);
    const at = (await now()) + CLOCK_TOLERANCE_SECONDS;
    await sut.report(realmId, 0, [active(at, 'show')]);
    expect(await stored()).toMatchObject({ activeAt: at, hiddenAt: at });
  });

  describe('with a user who was stored far ahead of it', () => {
    beforeEach(async () => {
      await redis.hset(keysOf(realmId).entries, '1', STORED_AHEAD);
      expect(await stored()).toMatchObject({ activeAt: FAR, idleAt: FAR });
    });

    it.each(['merge', 'show', 'hide', 'republish', 'deactivate', 'reactivate'] as const)(
      'reduces the times on a report of kind %s, and publishes them',
      async (kind) => {
        const at = await now();
        const outcome = await sut.report(realmId, 0, [{ ...active(at), kind }]);
        expect(outcome?.changes).toHaveLength(1);
        const { activeAt, idleAt } = await stored();
        expect(Math.max(activeAt, idleAt)).toBeLessThanOrEqual(
          (await now()) + CLOCK_TOLERANCE_SECONDS,
        );
      },
    );

    it('reduces the times when the user is restored', async () => {
      const times = { activeAt: 100, idleAt: 100, hiddenAt: 0, joinedAt: 7 };
      await sut.restore(realmId, 0, [{ userId: 1, ...times, isDeactivated: false, id: 1 }]);
      expect(await latestStored()).toBeLessThanOrEqual((await now()) + CLOCK_TOLERANCE_SECONDS);
    });

    it('reports that the snapshot is ahead', async () => {
      const latest = (await sut.readSnapshot(realmId))?.latest ?? 0;
      expect(Math.abs(latest - CLOCK_TOLERANCE_SECONDS - (await now()))).toBeLessThanOrEqual(1);
    });
  });
});
