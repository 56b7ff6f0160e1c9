import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { Database } from '#platform/database';
import { rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { ReadMessagesRepository } from './read-messages.repository.js';

const MESSAGES = 30_000;

let stores: TestDatabase;
/** With one connection, whose statistics are there at once. */
let database: Database;
let sut: ReadMessagesRepository;
let userId: number;
let channelId: number;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1 });
  sut = new ReadMessagesRepository(database);
  const { prisma } = database;
  const { id: realmId } = await prisma.realm.create({ data: { subdomain: 'many', name: 'Many' } });
  ({ id: userId } = await prisma.user.create({
    data: {
      realmId,
      deliveryEmail: 'reader@many.test',
      email: 'reader@many.test',
      fullName: 'Reader',
      role: roles.member,
      apiKeyHash: new Uint8Array([1]),
      apiKeySealed: new Uint8Array(),
    },
  }));
  ({ id: channelId } = await prisma.channel.create({ data: { realmId, name: 'alerts' } }));
  await prisma.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
      SELECT ${realmId}, ${userId}, ${channelId}, topic, 'Hello'
      FROM unnest(ARRAY['Received', 'Missed']) AS topic
      CROSS JOIN generate_series(1, ${MESSAGES}::int) RETURNING id, topic
    )
    INSERT INTO user_messages (user_id, message_id)
    SELECT ${userId}, id FROM stored WHERE topic = 'Received'`;
  await prisma.$executeRaw`ANALYZE messages, user_messages`;
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(ReadMessagesRepository.name, () => {
  it.each([
    ['received', true, 10],
    ['MISSED', false, 10_001],
    ['unknown', false, 10],
  ])('looks for the topic %s in few rows', async (topic, isFound, most) => {
    for (const table of ['messages', 'user_messages']) {
      const look = async () => expect(await sut.hasTopic(userId, channelId, topic)).toBe(isFound);
      expect(await rowsRead(database, table, look)).toBeLessThan(most);
    }
  });
});
