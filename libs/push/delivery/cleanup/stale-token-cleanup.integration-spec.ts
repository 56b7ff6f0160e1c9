import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import type { RemoteTokenCleanup } from '../remote/remote-token-cleanup.js';
import type { OwnTokenCleanup } from './own-token-cleanup.js';
import { CleanupLeaseRepository } from './cleanup-lease.repository.js';
import { StaleTokenCleanup } from './stale-token-cleanup.js';

const HOUR_MS = 3_600_000;

let stores: TestDatabase;

beforeAll(async () => {
  stores = await createTestDatabase();
});
afterAll(() => stores.drop());

describe(StaleTokenCleanup.name, () => {
  it('runs once an hour, however many workers there are', async () => {
    let now = Date.UTC(2026, 10, 23, 12, 59);
    let passes = 0;
    const own = { removeStale: async () => void (passes += 1) } as unknown as OwnTokenCleanup;
    const remote = { removeStale: async () => undefined } as unknown as RemoteTokenCleanup;
    const lease = new CleanupLeaseRepository(stores.database);
    const workers = [0, 1, 2].map(() => new StaleTokenCleanup(lease, own, remote, () => now));
    const runAll = () => Promise.all(workers.map((worker) => worker.run()));
    await runAll();
    await runAll();
    expect(passes).toBe(1);
    now += 60_000;
    await runAll();
    expect(passes).toBe(2);
    now += HOUR_MS - 1;
    await runAll();
    expect(passes).toBe(2);
    now += 1;
    await runAll();
    expect(passes).toBe(3);
  });
});
