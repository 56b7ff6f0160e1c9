import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { MentionRepository } from './mention.repository.js';

let stores: TestDatabase;
let database: Database;
let realmId: number;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1 });
  ({ id: realmId } = await addCrowdedRealm(database));
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(MentionRepository.name, () => {
  it('reads only the accounts with the given names, in a large organisation', async () => {
    const sut = new MentionRepository(database);
    const names = { users: [{ fullName: 'cROWD 77', id: undefined }], groups: [], channels: [] };
    const author = { userId: 1, realmId };
    expect(await sut.find(author, names)).toMatchObject([{ kind: 'user', name: 'cROWD 77' }]);
    expect(await rowsRead(database, 'users', () => sut.find(author, names))).toBeLessThan(100);
  });
});
