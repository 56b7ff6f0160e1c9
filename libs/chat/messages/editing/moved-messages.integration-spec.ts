import { beforeAll, describe, expect, it } from '@jest/globals';
import { addReader } from '#test/rows-read';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { MovedMessagesRepository } from './moved-messages.repository.js';

const database = usePlannedDatabase();

/** Messages with one reader each: PostgreSQL expects no more of any other. */
beforeAll(async () => {
  const { realmId, userId } = await addReader(database);
  const { id: channelId } = await database.prisma.channel.create({
    data: { realmId, name: 'alerts' },
  });
  await database.prisma.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
      SELECT ${realmId}, ${userId}, ${channelId}, 'lunch', 'Hello' FROM generate_series(1, 5000) RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id) SELECT ${userId}, id FROM stored`;
  await database.prisma.$executeRaw`ANALYZE messages, user_messages`;
});

describe(MovedMessagesRepository.name, () => {
  it('looks for no unread row among all readers of its message', async () => {
    const sut = new MovedMessagesRepository();
    await database.transaction(async (transaction) => {
      for (let time = 0; time < PLANNED_TIMES; time += 1) await sut.read(transaction, [], 0, 0);
    });
    const plan = await planOf(database, 'read_moved_messages', `'{}', 0, 0`);
    expect(plan).toContain('user_messages_message_id_idx');
    expect(plan).not.toMatch(/Nested Loop|Join/);
  });
});
