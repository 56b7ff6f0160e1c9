import { beforeAll, describe, expect, it } from '@jest/globals';
import { addReader, rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { TopicRepository } from './topic.repository.js';

const MESSAGES = 10_000;
const TOPICS = 10;

const stores = useDatabase();
/** With one connection, whose statistics are there at once. */
const database = useConnection(stores);
let userId: number;
let channelId: number;

beforeAll(async () => {
  const { prisma } = stores.database;
  const { realmId, ...reader } = await addReader(stores.database);
  userId = reader.userId;
  const [other, own] = await prisma.channel.createManyAndReturn({
    data: ['other', 'own'].map((name) => ({ realmId, name })),
  });
  channelId = Number(own?.id);
  await prisma.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
      SELECT ${realmId}, ${userId}, channel.id, 'topic ' || number % ${TOPICS}::int, 'Hello'
      FROM unnest(${[other?.id, channelId]}::int[]) AS channel (id)
      CROSS JOIN generate_series(1, ${MESSAGES}::int) AS number RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id) SELECT ${userId}, id FROM stored`;
  await prisma.$executeRaw`ANALYZE messages, user_messages`;
});

describe(TopicRepository.name, () => {
  it.each(['messages', 'user_messages'])(
    'reads few rows of %s for each received topic, and not the messages of the account',
    async (table) => {
      const sut = new TopicRepository(database);
      const read = async () => expect(await sut.received(channelId, userId)).toHaveLength(TOPICS);
      expect(await rowsRead(database, table, read)).toBeLessThan(10 * TOPICS);
    },
  );
});
