import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readTestStoresConfig } from '#platform/config';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import {
  applyReport,
  combineTimes,
  lacks,
  type PresenceChange,
  type PresenceReport,
  type PresenceState,
  type RealmPosition,
  reportKinds,
} from '#presence/rules';
import { readChange } from './packed.js';
import { keysOf } from './presence-keys.js';
import { PresenceStore, type ReportOutcome } from './presence.store.js';
import {
  anySeconds,
  anyState,
  entryOf,
  MICROSECONDS,
  seen,
  timesOf,
  timing,
} from './presence-store.fixture.js';

const nowUs = (): number => Date.now() * 1000;

const report: fc.Arbitrary<PresenceReport> = fc
  .record({
    userId: fc.integer({ min: 1, max: 3 }),
    kind: fc.constantFrom(...reportKinds),
    idleAt: anySeconds,
    isActive: fc.boolean(),
  })
  .map(({ isActive, ...given }) => ({
    ...given,
    activeAt: isActive ? given.idleAt : 0,
    joinedAt: 7,
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

  /** Reports a batch, and expects the changes of the rules, each directly after the previous one. */
  async function expectChangesOf(
    batch: readonly PresenceReport[],
    states: Map<number, PresenceState>,
    { epoch, top, chain }: RealmPosition,
  ): Promise<RealmPosition> {
    const changed = batch.flatMap((one) => {
      const result = applyReport(states.get(one.userId), one, timing);
      if (result) states.set(one.userId, result);
      return result ? [one.userId] : [];
    });
    const outcome = await sut.report(realmId, 0, batch);
    const changes = outcome?.changes ?? [];
    expect(changes.map(({ entry }) => entry.userId)).toEqual(changed);
    const before = [top, ...changes.map(({ entry }) => entry.id)];
    expect(changes.map(({ previousId }) => previousId)).toEqual(before.slice(0, -1));
    expect(before).toEqual(before.toSorted((one, other) => one - other));
    expect(new Set(before).size).toBe(before.length);
    const chains = [chain, ...changes.map((change) => change.chain)];
    expect(changes.map(({ previousChain }) => previousChain)).toEqual(chains.slice(0, -1));
    return { epoch, top: before.at(-1) ?? top, chain: chains.at(-1) ?? chain };
  }

  it('has the same result as the rules, for any history', async () => {
    const histories = fc.array(fc.array(report, { minLength: 1, maxLength: 8 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(histories, async (batches) => {
        await anotherRealm();
        const expected = new Map<number, PresenceState>();
        let position: RealmPosition = await snapshot();
        for (const batch of batches) position = await expectChangesOf(batch, expected, position);
        const { top, chain } = position;
        const last = (await changesInStream()).at(-1);
        expect([last?.entry.id ?? top, last?.chain ?? chain]).toEqual([top, chain]);
        const { entries, ...stored } = await snapshot();
        expect(stored).toMatchObject({ top, chain });
        const found = [...entries].map(([userId, { isDeactivated, ...entry }]) => {
          return [userId, { ...timesOf(entry), isDeactivated }] as const;
        });
        expect(new Map(found)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('restores exactly the entries that the rules call lost', async () => {
    await fc.assert(
      fc.asyncProperty(anyState, anyState, async (stored, known) => {
        realmId = randomInt(1_000_000, 2 ** 31);
        await sut.restore(realmId, 0, [entryOf(1, 100, stored)]);
        await sut.restore(realmId, 0, [entryOf(1, 50, known)]);
        const { entries, top } = await snapshot();
        const entry = entries.get(1);
        expect(entry && timesOf(entry)).toEqual(combineTimes(stored, known, timing));
        expect(top > 100).toBe(lacks(stored, known, timing));
        expect(entry?.isDeactivated).toBe(stored.isDeactivated);
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
