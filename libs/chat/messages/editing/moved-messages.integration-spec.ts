import { beforeAll, describe, expect, it } from '@jest/globals';
import { addMessagesWithOneRow } from '#test/rows-read';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { MovedMessagesRepository } from './moved-messages.repository.js';

const database = usePlannedDatabase();

beforeAll(() => addMessagesWithOneRow(database, 'one reader'));

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
