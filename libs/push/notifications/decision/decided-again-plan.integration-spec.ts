import { beforeAll, describe, expect, it } from '@jest/globals';
import { planOf, PLANNED_TIMES } from '#test/statement-plans';
import { useConnection, useDatabase } from '#test/use-fixture';
import { DecidedAgainRepository } from './decided-again.repository.js';

const stores = useDatabase('demo');
// As gateways connect.
const database = useConnection(stores);
const sut = new DecidedAgainRepository();

beforeAll(async () => {
  // Changes of single accounts, for which PostgreSQL plans the statements.
  for (let time = 0; time < PLANNED_TIMES; time += 1) {
    await database.transaction(async (transaction) => {
      const concerned = { userIds: [1], messageIds: [1] };
      await sut.takeBack(transaction, concerned);
      await sut.wantedFrom(transaction, concerned);
    });
  }
});

describe('A move of thousands of messages with thousands of readers', () => {
  it.each([
    ['take_back_messages', `'{}', '{}', 1, 2`],
    ['wanted_messages', `'{}', '{}', 2`],
  ])('compares no message with all others: %s', async (statement, values) => {
    const plan = await planOf(database, statement, values);
    expect(plan).toMatch(/Index Cond: \(\(user_id = [^)]*\) AND \(message_id >= /);
    expect(plan).toMatch(/message_id = \(hashed SubPlan/);
    expect(plan).not.toMatch(/ = ANY \(\$/);
  });
});

describe('A change of a message with thousands of readers', () => {
  it('looks for no row among all readers of its message', async () => {
    const plan = await planOf(database, 'take_back_messages', `'{}', '{}', 1, 2`);
    expect(plan).toMatch(
      /_pushed_idx on user_messages received .*\n.*user_id = unwanted\.user_id\) AND \(message_id = /,
    );
  });
});
