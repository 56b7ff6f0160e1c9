import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTestStoresConfig } from '#platform/config';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { combineTimes, lacks } from '#presence/rules';
import { keysOf } from './presence-keys.js';
import { PresenceStore } from './presence.store.js';
import {
  anyState,
  entryOf,
  MICROSECONDS,
  seen,
  timesOf,
  timing,
} from './presence-store.fixture.js';

describe('Restoring a realm in slices', () => {
  let redis: Redis;
  let sut: PresenceStore;
  let realmId: number;

  beforeAll(async () => {
    redis = openRedis(readTestStoresConfig().redisUrl, 'tests');
    await untilReady(redis, 5000);
    sut = new PresenceStore(redis, timing);
  });

  afterAll(() => closeRedis(redis));

  const snapshot = async () => {
    const read = await sut.readSnapshot(realmId);
    if (read === null) throw new Error('The realm is not there');
    return read;
  };

  const slice = (claim: string, offset: number, isLast = false) => ({ claim, offset, isLast });
  const one = entryOf(1, 100, { activeAt: 1000, idleAt: 1000, hiddenAt: 0 });
  const two = entryOf(2, 200, { activeAt: 1000, idleAt: 1000, hiddenAt: 0 });

  beforeEach(() => {
    realmId = randomInt(1_000_000, 2 ** 31);
  });

  const letTheClaimRunOut = () => redis.hset(keysOf(realmId).meta, 'claimUntil', '1');

  it('treats the realm as lost until the last slice', async () => {
    expect(await sut.restore(realmId, 0, [one], slice('a', 0))).toBe('stored');
    expect(await sut.readSnapshot(realmId)).toBeNull();
    expect(await sut.report(realmId, 0, [seen(3, 1000)])).toBeNull();
    expect(await sut.restore(realmId, 0, [two], slice('a', 1, true))).toBe('stored');
    const { entries, top } = await snapshot();
    expect([...entries.keys()]).toEqual([1, 2]);
    expect(top).toBe(200);
    expect(await sut.readClaim(realmId)).toBeNull();
  });

  it('blocks other processes, also for a partial restoration', async () => {
    await sut.restore(realmId, 0, [one], slice('a', 0));
    expect(await sut.restore(realmId, 0, [two], slice('b', 0, true))).toBe('busy');
    await sut.restore(realmId, 0, [], slice('a', 1, true));
    await sut.restore(realmId, 0, [two], slice('a', 0));
    expect(await sut.restore(realmId, 0, [two], slice('b', 0))).toBe('busy');
    expect(await sut.restore(realmId, 0, [], slice('a', 1, true))).toBe('stored');
    expect(await sut.restore(realmId, 0, [two], slice('b', 0, true))).toBe('stored');
  });

  it('starts again if Redis has lost slices', async () => {
    const { meta } = keysOf(realmId);
    await sut.restore(realmId, 0, [one], slice('a', 0));
    const dump = await redis.dumpBuffer(meta);
    await sut.restore(realmId, 0, [two], slice('a', 1));
    // A replica with only the first slice becomes the primary.
    await redis.restore(meta, 0, dump, 'REPLACE');
    expect(await sut.restore(realmId, 0, [one], slice('a', 2, true))).toBe('claimLost');
    await redis.del(meta);
    expect(await sut.restore(realmId, 0, [one], slice('a', 2, true))).toBe('claimLost');
    expect(await sut.readSnapshot(realmId)).toBeNull();
  });

  it('ignores a claim from before the clock stepped back', async () => {
    await sut.restore(realmId, 0, [one], slice('a', 0));
    const ahead = Date.now() * 1000 + 3600 * MICROSECONDS;
    await redis.hset(keysOf(realmId).meta, 'claimUntil', String(ahead));
    expect(await sut.restore(realmId, 0, [two], slice('b', 0, true))).toBe('stored');
  });

  it('completes the restoration of another process, with the entries of both', async () => {
    await fc.assert(
      fc.asyncProperty(anyState, anyState, fc.boolean(), async (begun, known, isBegunLater) => {
        realmId = randomInt(1_000_000, 2 ** 31);
        const [begunId, knownId] = isBegunLater ? [100, 50] : [50, 100];
        await sut.restore(realmId, 0, [entryOf(1, begunId, begun)], slice('a', 0));
        expect(await sut.restore(realmId, 0, [], slice('b', 0, true))).toBe('busy');
        await letTheClaimRunOut();
        const served = 300;
        await sut.restore(realmId, served, [entryOf(1, knownId, known)], slice('b', 0, true));
        const { entries, top } = await snapshot();
        const entry = entries.get(1);
        const whole = combineTimes(begun, known, timing);
        expect(entry && timesOf(entry)).toEqual(whole);
        // A client with the later state needs no new id, if that state is complete.
        const later = isBegunLater ? begun : known;
        expect(entry?.isDeactivated).toBe(later.isDeactivated);
        const isLaterWhole = !lacks(later, whole, timing);
        expect(entry?.id === 100).toBe(isLaterWhole);
        expect((entry?.id ?? 0) > served).toBe(!isLaterWhole);
        expect(top).toBeGreaterThanOrEqual(entry?.id ?? Infinity);
      }),
      { numRuns: 60 },
    );
  });
});
