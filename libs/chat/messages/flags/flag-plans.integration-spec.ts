import { beforeAll, describe, expect, it } from '@jest/globals';
import { addMessagesWithOneRow } from '#test/rows-read';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { MessageFlagRepository } from './message-flag.repository.js';
import { type MessageRange, ReadMessagesRepository } from './read-messages.repository.js';

const database = usePlannedDatabase();

beforeAll(async () => {
  const { realmId } = await addMessagesWithOneRow(database, 'different accounts');
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
