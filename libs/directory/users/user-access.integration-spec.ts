import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { VisibleUsersRepository } from '#directory/guest-access';
import { createSystemGroups } from '#directory/groups';
import { roles } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import { Database } from '#platform/database';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { UserAccess } from './user-access.js';
import { UserRepository } from './user.repository.js';

const CHANNELS = 3;

let stores: TestDatabase;
/** With one connection, whose statistics are there at once. */
let database: Database;
let sut: UserAccess;
let guest: Caller;
let seenId: number;
let hiddenId: number;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1, findsByIndex: true });
  sut = new UserAccess(new UserRepository(database), new VisibleUsersRepository(database));
  const { id: realmId } = await addCrowdedRealm(database);
  const groups = await database.transaction((transaction) =>
    createSystemGroups(transaction, realmId),
  );
  const { prisma } = stores.database;
  const all = await prisma.user.findMany({ where: { realmId, role: roles.member }, take: 3 });
  const [guestId = 0, ...others] = all.map(({ id }) => id);
  [seenId = 0, hiddenId = 0] = others;
  const { deliveryEmail } = await prisma.user.update({
    where: { id: guestId },
    data: { role: roles.guest },
  });
  await prisma.realm.update({
    where: { id: realmId },
    data: { canAccessAllUsersGroupId: groups['role:members'] },
  });
  for (let number = 0; number < CHANNELS; number += 1) {
    const { id } = await prisma.channel.create({ data: { realmId, name: `channel ${number}` } });
    await prisma.$executeRaw`
      INSERT INTO subscriptions (channel_id, user_id)
      SELECT ${id}::int, id FROM users WHERE realm_id = ${realmId} AND id <> ${hiddenId}`;
  }
  await prisma.$executeRaw`ANALYZE subscriptions`;
  guest = {
    userId: guestId,
    deliveryEmail,
    role: roles.guest,
    isBot: false,
    isPresenceEnabled: true,
    joinedAt: 1000,
    keyGeneration: 1,
    realm: { id: realmId, subdomain: 'crowded', isPresenceDisabled: false },
  };
}, 60_000);

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(UserAccess.name, () => {
  it('finds the accounts that a guest may see', async () => {
    const ids = [guest.userId, seenId, hiddenId];
    expect(await sut.visibleAmong(guest, ids)).toEqual(new Set([guest.userId, seenId]));
    const member = { ...guest, role: roles.member };
    expect(await sut.visibleAmong(member, ids)).toEqual(new Set(ids));
    expect(await sut.requireVisible(guest, seenId)).toMatchObject({ id: seenId });
    await expect(sut.requireVisible(guest, hiddenId)).rejects.toThrow('No such user');
  });

  it('reads few subscriptions for one account, however many share a channel with the guest', async () => {
    const read = () => sut.requireVisible(guest, seenId);
    expect(await rowsRead(database, 'subscriptions', read)).toBeLessThan(20 * CHANNELS);
  });
});
