import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { addReader, rowsRead } from '#test/rows-read';
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
  const { realmId, ...reader } = await addReader(stores.database);
  userId = reader.userId;
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
