import { beforeEach, describe, expect, it } from '@jest/globals';
import { useDatabase } from '#test/use-fixture';
import { CleanupLeaseRepository } from './cleanup-lease.repository.js';
import { StaleTokenCleanup } from './stale-token-cleanup.js';

const HOUR_MS = 3_600_000;

const stores = useDatabase();
/** The times of the passes. */
let passes: number[];
let workers: readonly StaleTokenCleanup[];

beforeEach(() => {
  passes = [];
  const cleanup = { removeStale: async (now: number) => void passes.push(now) };
  const lease = new CleanupLeaseRepository(stores.database);
  workers = [0, 1, 2].map(() => new StaleTokenCleanup(lease, [cleanup]));
});

const runAll = () => Promise.all(workers.map((worker) => worker.run()));
const dueAt = async () =>
  (await stores.database.prisma.pushCollection.findFirstOrThrow()).dueAt.getTime();
const setDue = (inMs: number) =>
  stores.database.prisma.pushCollection.updateMany({
    data: { dueAt: new Date(Date.now() + inMs) },
  });

describe(StaleTokenCleanup.name, () => {
  it('runs once an hour, however many workers there are', async () => {
    await runAll();
    await runAll();
    expect(new Set(passes.map((at) => Math.floor(at / HOUR_MS))).size).toBe(passes.length);
    expect(Math.abs((passes[0] ?? 0) - Date.now())).toBeLessThan(60_000);
    const next = await dueAt();
    expect(next % HOUR_MS).toBe(0);
    expect(next).toBeGreaterThan(passes.at(-1) ?? 0);
    expect(next - (passes.at(-1) ?? 0)).toBeLessThanOrEqual(HOUR_MS);
  });

  it.each([
    ['that has come', -1000],
    ['that was stored before a clock was set back by a year', 365 * 24 * HOUR_MS],
  ])('runs at a time %s, once', async (_which, inMs) => {
    await runAll();
    passes = [];
    await setDue(inMs);
    await runAll();
    expect(passes).toHaveLength(1);
    expect(await dueAt()).toBeLessThanOrEqual(Date.now() + HOUR_MS);
  });
});
