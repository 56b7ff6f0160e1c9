import { beforeAll, describe, expect, it } from '@jest/globals';
import { addReader } from '#test/rows-read';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { MessageFlagRepository } from './message-flag.repository.js';
import { type MessageRange, ReadMessagesRepository } from './read-messages.repository.js';

const database = usePlannedDatabase();

/** Accounts with one message each: PostgreSQL expects no more of any other. */
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
    INSERT INTO user_messages (user_id, message_id) SELECT id, id FROM stored`;
  await database.prisma.$executeRaw`ANALYZE messages, user_messages`;
  const flags = new MessageFlagRepository();
  const reads = new ReadMessagesRepository(database);
  const reader = { userId: 0, realmId, groups: new Set<number>() };
  const starred = { flag: 'starred', isSet: true, messageIds: [] } as const;
  const ranges: MessageRange['of'][] = [
    'all',
    { channelId: 0 },
    { channelId: 0, topic: '' },
    { senderId: 0 },
  ];
  await database.transaction(async (transaction) => {
    for (let time = 0; time < PLANNED_TIMES; time += 1) {
      await reads.markNamed(transaction, 0, []);
      for (const of of ranges) await reads.markSlice(transaction, 0, { of });
      await flags.markUnread(transaction, 0, []);
      await flags.change(transaction, reader, starred);
    }
  });
});

describe('A change of thousands of messages of an account', () => {
  it.each([
    ['read_messages', `0, '{}'`],
    ['read_slice_of_all', '0, 0, 1, 5000'],
    ['read_slice_of_channel', '0, 0, 1, 5000, 0'],
    ['read_slice_of_topic', `0, 0, 1, 5000, 0, ''`],
    ['read_slice_of_sender', '0, 0, 1, 5000, 0'],
    ['mark_unread', `0, '{}'`],
    ['flag_starred', `0, '{}', 0, '{}', true`],
  ])('compares none of them with the others: %s', async (statement, values) => {
    const plan = await planOf(database, statement, values);
    expect(plan).toMatch(
      /Update on user_messages.*\n(?:.*\n){2,3}.*Index Scan.*\n.*message_id = ANY \(/,
    );
    expect(plan).not.toMatch(/Join Filter: .*(?:held|walked)/);
  });
});
