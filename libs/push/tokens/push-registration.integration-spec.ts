import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '#test/use-fixture';
import { PushRegistrationRepository } from './push-registration.repository.js';

const stores = useDatabase();
let realmId: number;

beforeAll(async () => {
  const data = { subdomain: 'phones', name: 'Phones' };
  ({ id: realmId } = await stores.database.prisma.realm.create({ data }));
});

describe(PushRegistrationRepository.name, () => {
  it('stores the last registration of a token, and takes one id for it', async () => {
    const { prisma } = stores.database;
    const sut = new PushRegistrationRepository(stores.database);
    const register = (number: number, token: string) =>
      sut.register({
        realmId,
        tokenId: Buffer.alloc(8, number),
        platform: 'fcm',
        token,
        appId: null,
      });
    for (const token of ['a', 'b', 'c']) await register(1, token);
    await register(2, 'd');
    const [first, second] = await prisma.pushRegistration.findMany({ orderBy: { id: 'asc' } });
    expect(first).toMatchObject({ token: 'c', platform: 'fcm' });
    expect(second).toMatchObject({ token: 'd', id: Number(first?.id) + 1 });
  });
});
