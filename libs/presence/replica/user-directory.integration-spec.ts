import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#platform/contracts';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { UserDirectory } from './user-directory.js';
import { UserDirectoryRepository } from './user-directory.repository.js';

let stores: TestDatabase;

beforeAll(async () => {
  stores = await createTestDatabase();
});
afterAll(() => stores.drop());

const prisma = () => stores.database.prisma;

describe(UserDirectory.name, () => {
  it.each([
    ['ahead of', 600_000],
    ['behind', -600_000],
  ])(
    'learns of a change at once, although the clock is %s that of PostgreSQL',
    async (_, errorMs) => {
      const subdomain = randomBytes(4).toString('hex');
      const { id: realmId } = await prisma().realm.create({ data: { subdomain, name: 'Chat' } });
      const email = `ada@${subdomain}.test`;
      const { id } = await prisma().user.create({
        data: {
          realmId,
          deliveryEmail: email,
          email,
          fullName: 'Ada',
          role: roles.member,
          apiKeyHash: randomBytes(32),
          apiKeySealed: new Uint8Array(),
        },
      });
      let nowMs = Date.now() + errorMs;
      const source = new UserDirectoryRepository(stores.database);
      const sut = new UserDirectory(
        realmId,
        source,
        () => nowMs,
        async () => undefined,
      );
      await sut.ready(id);
      expect(sut.get(id)).toEqual({ userId: id, email, isActive: true });
      const deactivate = 'UPDATE users SET is_active = false, updated_at = now() WHERE id = $1';
      await stores.database.query('deactivate', deactivate, [id]);
      nowMs += 3000;
      // An unknown account waits for the read.
      await sut.ready(0);
      expect([...sut.deactivated]).toEqual([id]);
    },
  );
});
