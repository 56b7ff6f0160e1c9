import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import type { RemoteCollection } from '../remote/remote-collection.js';
import type { OwnCollection } from './own-collection.js';
import { CollectionLeaseRepository } from './collection-lease.repository.js';
import { TokenCollection } from './token-collection.js';

const HOUR_MS = 3_600_000;

let stores: TestDatabase;

beforeAll(async () => {
  stores = await createTestDatabase();
});
afterAll(() => stores.drop());

describe(TokenCollection.name, () => {
  it('runs once an hour, however many workers there are', async () => {
    let now = Date.UTC(2026, 10, 23, 12, 59);
    let collections = 0;
    const own = { collect: async () => void (collections += 1) } as unknown as OwnCollection;
    const remote = { collect: async () => undefined } as unknown as RemoteCollection;
    const lease = new CollectionLeaseRepository(stores.database);
    const workers = [0, 1, 2].map(() => new TokenCollection(lease, own, remote, () => now));
    const runAll = () => Promise.all(workers.map((worker) => worker.run()));
    await runAll();
    await runAll();
    expect(collections).toBe(1);
    now += 60_000;
    await runAll();
    expect(collections).toBe(2);
    now += HOUR_MS - 1;
    await runAll();
    expect(collections).toBe(2);
    now += 1;
    await runAll();
    expect(collections).toBe(3);
  });
});
