import { beforeAll, describe, expect, it } from '@jest/globals';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { ActivationRepository } from './activation.repository.js';
import { isNameFree } from './full-name.repository.js';

const stores = useDatabase();
const database = useConnection(stores);
let realmId: number;

beforeAll(async () => {
  ({ id: realmId } = await addCrowdedRealm(database));
});

const usersRead = (work: () => Promise<unknown>) => rowsRead(database, 'users', work);

describe('in an organisation with many accounts', () => {
  it('checks a name without reading all accounts', async () => {
    const ask = (fullName: string) => isNameFree(database, { realmId, fullName });
    expect(await ask('cROWD 77')).toBe(false);
    expect(await usersRead(() => ask('Nobody'))).toBeLessThan(100);
  });

  it('deactivates an account without reading all accounts', async () => {
    const sut = new ActivationRepository();
    const { id } = await database.prisma.user.findFirstOrThrow({ where: { fullName: 'Crowd 77' } });
    const account = { realmId, userId: id, mayBeOwner: false };
    const deactivate = () =>
      database.transaction((transaction) => sut.deactivate(transaction, account));
    expect(await usersRead(deactivate)).toBeLessThan(100);
    expect(await deactivate()).toBe('deactivated');
  });
});
