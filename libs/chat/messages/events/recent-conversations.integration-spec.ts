import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { Database } from '#platform/database';
import { rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { MessageStateRepository } from './message-state.repository.js';

const CONVERSATIONS = 100;
const MESSAGES_EACH = 200;

let stores: TestDatabase;
/** With one connection, whose statistics are there at once. */
let database: Database;
let userId: number;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1 });
  const { prisma } = stores.database;
  const { id: realmId } = await prisma.realm.create({ data: { subdomain: 'talk', name: 'Talk' } });
  ({ id: userId } = await prisma.user.create({
    data: {
      realmId,
      deliveryEmail: 'reader@talk.test',
      email: 'reader@talk.test',
      fullName: 'Reader',
      role: roles.member,
      apiKeyHash: new Uint8Array([1]),
      apiKeySealed: new Uint8Array(),
    },
  }));
  await prisma.$executeRaw`
    WITH conversation AS (
      INSERT INTO direct_conversations (realm_id, key)
      SELECT ${realmId}, number::text FROM generate_series(1, ${CONVERSATIONS}::int) AS number
      RETURNING id
    ),
    member AS (
      INSERT INTO direct_conversation_members (conversation_id, user_id)
      SELECT id, ${userId} FROM conversation
    ),
    stored AS (
      INSERT INTO messages (realm_id, sender_id, conversation_id, content)
      SELECT ${realmId}, ${userId}, conversation.id, 'Hello'
      FROM generate_series(1, ${MESSAGES_EACH}::int) AS number CROSS JOIN conversation
      ORDER BY number, conversation.id RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id) SELECT ${userId}, id FROM stored`;
  await prisma.$executeRaw`ANALYZE messages, user_messages, direct_conversation_members`;
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(MessageStateRepository.name, () => {
  it('reads little more than the newest 1000 direct messages for the recent conversations', async () => {
    const sut = new MessageStateRepository();
    const read = async () =>
      expect(await sut.recentConversations(database, userId)).toHaveLength(CONVERSATIONS);
    expect(await rowsRead(database, 'messages', read)).toBeLessThan(5000);
  });
});
