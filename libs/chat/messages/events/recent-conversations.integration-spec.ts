import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { MessageStateRepository } from './message-state.repository.js';

const CONVERSATIONS = 100;
const MESSAGES_EACH = 200;

const stores = useDatabase();
/** With one connection, whose statistics are there at once. */
const database = useConnection(stores);
let userId: number;

beforeAll(async () => {
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

describe(MessageStateRepository.name, () => {
  it('reads little more than the newest 1000 direct messages for the recent conversations', async () => {
    const sut = new MessageStateRepository();
    const read = async () =>
      expect(await sut.recentConversations(database, userId)).toHaveLength(CONVERSATIONS);
    expect(await rowsRead(database, 'messages', read)).toBeLessThan(5000);
  });
});
