import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTestStoresConfig } from '#platform/config';
import { presenceTimingOf } from '#platform/contracts';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import {
  applyReport,
  combineTimes,
  lacks,
  type PresenceChange,
  type PresenceEntry,
  type PresenceReport,
  type PresenceState,
  type PresenceTimes,
  reportKinds,
} from '#presence/rules';
import { readChange } from './packed.js';
import { keysOf } from './presence-keys.js';
import { PresenceStore, type ReportOutcome } from './presence.store.js';

const MICROSECONDS = 1_000_000;
const nowUs = (): number => Date.now() * 1000;

/** Not the default timing, so that the test notices a script that ignores it. */
const timing = presenceTimingOf(70, 290);

/** Times around the rules' limits: 125 s, and the 410 s and 481 s of going invisible. */
const seconds = fc.integer({ min: 1000, max: 2000 });

const report: fc.Arbitrary<PresenceReport> = fc
  .record({
    userId: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom(...reportKinds),
    idleAt: seconds,
    isActive: fc.boolean(),
  })
  .map(({ isActive, ...given }) => ({
    ...given,
    activeAt: isActive ? given.idleAt : 0,
    joinedAt: 7,
  }));

const times: fc.Arbitrary<PresenceTimes> = fc
  .tuple(seconds, seconds, fc.option(seconds, { nil: 0 }))
  .map(([one, other, hiddenAt]) => ({
    activeAt: Math.min(one, other),
    idleAt: Math.max(one, other),
    hiddenAt,
  }));

describe(PresenceStore.name, () => {
  let redis: Redis;
  let sut: PresenceStore;
  let realmId: number;

  beforeAll(async () => {
    redis = openRedis(readTestStoresConfig().redisUrl, 'tests');
    await untilReady(redis, 5000);
    sut = new PresenceStore(redis, timing);
  });

  afterAll(() => closeRedis(redis));

  beforeEach(async () => {
    await anotherRealm();
  });

  async function anotherRealm(): Promise<void> {
    realmId = randomInt(1_000_000, 2 ** 31);
    await sut.restore(realmId, 0, []);
  }

  const seen = (userId: number, at: number): PresenceReport => {
    return { userId, kind: 'merge', activeAt: at, idleAt: at, joinedAt: 7 };
  };

  const entryOf = (userId: number, id: number, given: PresenceTimes): PresenceEntry => {
    return { userId, joinedAt: 7, id, isDeactivated: false, ...given };
  };

  const snapshot = async () => {
    const read = await sut.readSnapshot(realmId);
    if (read === null) throw new Error('The realm is not there');
    return read;
  };

  async function changesInStream(): Promise<PresenceChange[]> {
    const stream = await redis.xrangeBuffer(keysOf(realmId).stream, '-', '+');
    return stream.map(([id, [, packed = Buffer.alloc(0)]]) =>
      readChange(Number.parseInt(id.toString(), 10), packed),
    );
  }

  it('has the same result as the rules, for any history', async () => {
    const histories = fc.array(fc.array(report, { minLength: 1, maxLength: 8 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(histories, async (batches) => {
        await anotherRealm();
        const expected = new Map<number, PresenceState>();
        let { top, chain } = await snapshot();
        for (const batch of batches) {
          const changed: number[] = [];
          for (const one of batch) {
            const result = applyReport(expected.get(one.userId), one, timing);
            if (result === null) continue;
            expected.set(one.userId, result);
            changed.push(one.userId);
          }
          const outcome = await sut.report(realmId, 0, batch);
          const changes = outcome?.changes ?? [];
          expect(changes.map((change) => change.entry.userId)).toEqual(changed);
          for (const { entry, previousId, previousChain, chain: next } of changes) {
            expect([previousId, previousChain]).toEqual([top, chain]);
            expect(entry.id).toBeGreaterThan(top);
            [top, chain] = [entry.id, next];
          }
        }
        const stored = await snapshot();
        expect([stored.top, stored.chain]).toEqual([top, chain]);
        const followed = await changesInStream();
        expect(followed.at(-1)?.chain ?? chain).toBe(chain);
        const found = new Map<number, PresenceState>();
        for (const [userId, entry] of stored.entries) {
          found.set(userId, { ...timesOf(entry), isDeactivated: entry.isDeactivated });
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('restores exactly the entries that the rules call lost', async () => {
    await fc.assert(
      fc.asyncProperty(times, times, async (stored, known) => {
        realmId = randomInt(1_000_000, 2 ** 31);
        await sut.restore(realmId, 0, [entryOf(1, 100, stored)]);
        await sut.restore(realmId, 0, [entryOf(1, 50, known)]);
        const { entries, top } = await snapshot();
        const entry = entries.get(1);
        expect(entry && timesOf(entry)).toEqual(combineTimes(stored, known, timing));
        expect(top > 100).toBe(lacks(stored, known, timing));
        expect(entry?.id).toBe(top);
      }),
      { numRuns: 60 },
    );
  });

  it('distinguishes histories that gave the same ids to different changes', async () => {
    const keys = keysOf(realmId);
    await sut.report(realmId, 0, [seen(1, 1000)]);
    await redis.hset(keys.meta, 'top', String(nowUs() + 100 * MICROSECONDS));
    const dump = await redis.dumpBuffer(keys.meta);
    const histories: ReportOutcome[] = [];
    for (const userId of [2, 3, 3]) {
      await redis.restore(keys.meta, 0, dump, 'REPLACE');
      await redis.del(keys.stream, keys.entries);
      const outcome = await sut.report(realmId, 0, [seen(userId, 1000)]);
      if (outcome) histories.push(outcome);
    }
    const [two, three, again] = histories.map(({ changes }) => changes[0]);
    expect(two?.entry.id).toBe(three?.entry.id);
    expect(two?.chain).not.toBe(three?.chain);
    // The same change: no part of it can be missing.
    expect(again).toEqual(three);
  });

  it('does nothing to a realm that must be restored', async () => {
    await redis.del(keysOf(realmId).meta);
    expect(await sut.report(realmId, 0, [seen(1, 1000)])).toBeNull();
    expect(await sut.readSnapshot(realmId)).toBeNull();
    expect(await redis.exists(keysOf(realmId).entries)).toBe(0);
  });

  it('creates a realm with the ids of its entries', async () => {
    await redis.del(keysOf(realmId).meta);
    const id = 1_700_000_000_123_456;
    const neverActive = entryOf(1, id, { activeAt: 0, idleAt: 6, hiddenAt: 0 });
    const active = entryOf(2, id - 1, { activeAt: 5, idleAt: 6, hiddenAt: 4 });
    await sut.restore(realmId, 0, [neverActive, active]);
    const { top, entries } = await snapshot();
    expect(top).toBe(id);
    // The joining time is stored only for users who were never active.
    expect([...entries.values()]).toEqual([neverActive, { ...active, joinedAt: 0 }]);
  });

  it('keeps every combination of times, in entries and in changes', async () => {
    const form = fc.record({
      userId: fc.constantFrom(1, 4_294_967_295),
      activeAt: fc.constantFrom(0, 1, 1_700_000_000),
      idleAt: fc.constantFrom(0, 1, 1_700_000_000),
      hiddenAt: fc.constantFrom(0, 1, 1_700_000_000),
      isDeactivated: fc.boolean(),
      joinedAt: fc.constantFrom(0, 1, 1_700_000_000),
      id: fc.constantFrom(0, 1, 1_700_000_000_123_456, Number.MAX_SAFE_INTEGER - 1),
    });
    await fc.assert(
      fc.asyncProperty(form, async (entry) => {
        realmId = randomInt(1_000_000, 2 ** 31);
        await sut.restore(realmId, 0, [entry]);
        const kept = { ...entry, joinedAt: entry.activeAt === 0 ? entry.joinedAt : 0 };
        const { entries, chain, top } = await snapshot();
        expect([...entries.values()]).toEqual([kept]);
        const outcome = await sut.report(realmId, 0, [{ ...entry, kind: 'republish' }]);
        const [published] = await changesInStream();
        const newId = published?.entry.id ?? 0;
        expect(newId).toBeGreaterThan(entry.id);
        expect(published).toEqual({
          entry: { ...kept, id: newId },
          previousId: top,
          previousChain: chain,
          chain: outcome?.changes[0]?.chain,
        });
      }),
      { numRuns: 60 },
    );
  });

  it('requires a restoration of a realm that an earlier release wrote', async () => {
    await redis.hdel(keysOf(realmId).meta, 'chain');
    expect(await sut.readSnapshot(realmId)).toBeNull();
    expect(await sut.report(realmId, 0, [seen(1, 1000)])).toBeNull();
  });

  it('deletes the remains of a realm that has lost its meta', async () => {
    await sut.report(realmId, 0, [seen(1, 1000)]);
    await redis.del(keysOf(realmId).meta);
    await sut.restore(realmId, 0, []);
    expect((await snapshot()).entries.size).toBe(0);
    expect(await redis.exists(keysOf(realmId).stream)).toBe(0);
  });

  it('allocates ids from the clock, in microseconds', async () => {
    const before = nowUs();
    const outcome = await sut.report(realmId, 0, [seen(1, 1000)]);
    const id = outcome?.changes[0]?.entry.id ?? 0;
    expect(id).toBeGreaterThan(before - MICROSECONDS);
    expect(id).toBeLessThan(nowUs() + MICROSECONDS);
    expect(outcome?.isClockBehind).toBe(false);
  });

  it('allocates ids above the previous one when the clock has stepped back', async () => {
    const ahead = nowUs() + 1000 * MICROSECONDS;
    await redis.hset(keysOf(realmId).meta, 'top', String(ahead));
    const outcome = await sut.report(realmId, 0, [seen(1, 1000), seen(2, 1000)]);
    expect(outcome?.changes.map((change) => change.entry.id)).toEqual([ahead + 1, ahead + 2]);
    expect(outcome?.isClockBehind).toBe(true);
  });

  it('allocates ids above those that the process has served', async () => {
    const served = nowUs() + 100 * MICROSECONDS;
    const outcome = await sut.report(realmId, served, [seen(1, 1000)]);
    expect(outcome?.changes[0]?.entry.id).toBe(served + 1);
  });

  it('lets no process move the ids ahead by more than five minutes', async () => {
    const outcome = await sut.report(realmId, nowUs() + 10_000 * MICROSECONDS, [seen(1, 1000)]);
    const limit = nowUs() + 301 * MICROSECONDS;
    expect(outcome?.changes[0]?.entry.id).toBeLessThan(limit);
  });

  it.each([
    ['a few users', 10, 60, 256],
    ['hundreds', 800, 4, 400],
    ['tens of thousands', 40_000, 1, 16_384],
  ])(
    'appends every change to the stream, and bounds it for %s',
    async (_, users, rounds, bound) => {
      for (let round = 0; round < rounds; round += 1) {
        for (let first = 1; first <= users; first += 400) {
          const length = Math.min(400, users + 1 - first);
          const batch = Array.from({ length }, (_user, index) =>
            seen(first + index, 1000 * round + 1000),
          );
          await sut.report(realmId, 0, batch);
        }
      }
      const length = await redis.xlen(keysOf(realmId).stream);
      expect(length).toBeGreaterThanOrEqual(bound);
      // Redis trims whole nodes of a hundred entries.
      expect(length).toBeLessThanOrEqual(bound + 100);
    },
  );

  it.each([
    ['1,000', 1000, 1],
    ['1,000 with sparse ids', 1000, 10],
    ['10,000', 10_000, 1],
    ['10,000 with sparse ids', 10_000, 10],
  ])('needs at most 100 bytes per user for an organisation of %s', async (_, users, step) => {
    for (let round = 1; round <= 10; round += 1) {
      for (let first = 0; first < users; first += 400) {
        const batch = Array.from({ length: Math.min(400, users - first) }, (_user, index) => {
          const one = seen(1 + (first + index) * step, 1_700_000_000 + round * 130);
          // Four in ten are idle, different ones in each round.
          return (first + index + round) % 10 < 4 ? { ...one, activeAt: 0 } : one;
        });
        await sut.report(realmId, 0, batch);
      }
    }
    const sizes = await Promise.all(
      Object.values(keysOf(realmId)).map((key: string) => redis.memory('USAGE', key, 'SAMPLES', 0)),
    );
    const bytes = sizes.reduce<number>((sum, size) => sum + Number(size), 0);
    expect(bytes / users).toBeLessThanOrEqual(100);
  });
});

const timesOf = ({ activeAt, idleAt, hiddenAt }: PresenceEntry): PresenceTimes => ({
  activeAt,
  idleAt,
  hiddenAt,
});
