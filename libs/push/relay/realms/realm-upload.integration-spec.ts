import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SYSTEM_SUBDOMAIN } from '#directory/realms';
import { Database } from '#platform/database';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { RealmUploadRepository } from './realm-upload.repository.js';

let stores: TestDatabase;
let database: Database;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1 });
});
afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(RealmUploadRepository.name, () => {
  it('lists all organisations but that of the system bots, without reading accounts', async () => {
    const { prisma } = stores.database;
    const { id: crowdedId } = await addCrowdedRealm(database);
    // As the first gateway does.
    await prisma.realm.create({ data: { subdomain: SYSTEM_SUBDOMAIN, name: 'System' } });
    const sut = new RealmUploadRepository(database);
    let listed: number[] = [];
    const read = await rowsRead(database, 'users', async () => {
      listed = (await sut.list()).map(({ id }) => id);
    });
    expect(listed).toEqual([crowdedId]);
    expect(read).toBe(0);
  });
});
