import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { AccountRepository } from './account.repository.js';

describe(AccountRepository.name, () => {
  let stores: TestDatabase;
  const hash = randomBytes(32);

  beforeAll(async () => {
    stores = await createTestDatabase('demo');
    const { prisma } = stores.database;
    const { id } = await prisma.user.findFirstOrThrow();
    await prisma.user.update({ where: { id }, data: { apiKeyHash: new Uint8Array(hash) } });
  });
  afterAll(() => stores.drop());

  it('finds the account of a key, without any buffer', async () => {
    const account = await new AccountRepository(stores.database).findByKeyHash(hash);
    expect(account).toMatchObject({ isActive: true, keyGeneration: 1 });
    expect(Object.values(account ?? {}).filter((value) => value instanceof Uint8Array)).toEqual([]);
  });
});
