import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { ChannelVisibilityRepository } from './channel-visibility.repository.js';

const CHANNELS = 3;

let stores: TestDatabase;
/** With one connection, whose statistics are there at once. */
let database: Database;
let realmId: number;
let groupId: number;
let userId: number;
const channelIds: number[] = [];

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1, findsByIndex: true });
  ({ id: realmId } = await addCrowdedRealm(database));
  const { prisma } = stores.database;
  ({ id: userId } = await prisma.user.findFirstOrThrow({ where: { realmId, role: 400 } }));
  const group = { data: { realmId, name: 'readers', members: { create: { userId } } } };
  ({ id: groupId } = await prisma.userGroup.create(group));
  for (let number = 0; number < CHANNELS; number += 1) {
    const data = { realmId, name: `channel ${number}`, isPrivate: true, canSubscribeId: groupId };
    const { id } = await prisma.channel.create({ data });
    channelIds.push(id);
    await prisma.$executeRaw`
      INSERT INTO subscriptions (channel_id, user_id)
      SELECT ${id}::int, id FROM users WHERE realm_id = ${realmId} AND id <> ${userId}`;
  }
  await prisma.$executeRaw`ANALYZE subscriptions`;
}, 60_000);

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(ChannelVisibilityRepository.name, () => {
  it.each(['subscriptions', 'users'])(
    'reads few rows of %s for a change of one member, however many accounts see the channels',
    async (table) => {
      const sut = new ChannelVisibilityRepository();
      const read = () =>
        database.transaction(async (transaction) => {
          const concerned = { userIds: [userId], membersOf: [] };
          const found = await sut.audiencesOf(transaction, realmId, [groupId], concerned);
          expect(found).toEqual(channelIds.map((channelId) => ({ channelId, userIds: [userId] })));
        });
      expect(await rowsRead(database, table, read)).toBeLessThan(20 * CHANNELS);
    },
  );
});
