import { beforeAll, describe, expect, it } from '@jest/globals';
import { addReader, rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { ReadMessagesRepository } from './read-messages.repository.js';

const MESSAGES = 30_000;

const stores = useDatabase();
/** With one connection, whose statistics are there at once. */
const database = useConnection(stores);
const sut = new ReadMessagesRepository(database);
let userId: number;
let channelId: number;

beforeAll(async () => {
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
