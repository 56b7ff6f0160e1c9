import { describe, expect, it } from '@jest/globals';
import { SYSTEM_SUBDOMAIN } from '#directory/realms';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { RealmUploadRepository } from './realm-upload.repository.js';

const stores = useDatabase();
const database = useConnection(stores);

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
