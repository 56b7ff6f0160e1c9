import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '#test/use-fixture';
import { AccountRepository } from './account.repository.js';

describe(AccountRepository.name, () => {
  const stores = useDatabase('demo');
  const hash = randomBytes(32);

  beforeAll(async () => {
    const { prisma } = stores.database;
    const { id } = await prisma.user.findFirstOrThrow();
    await prisma.user.update({ where: { id }, data: { apiKeyHash: new Uint8Array(hash) } });
  });

  it('finds the account of a key, without any buffer', async () => {
    const account = await new AccountRepository(stores.database).findByKeyHash(hash);
    expect(account).toMatchObject({ isActive: true, keyGeneration: 1 });
    expect(Object.values(account ?? {}).filter((value) => value instanceof Uint8Array)).toEqual([]);
  });
});
