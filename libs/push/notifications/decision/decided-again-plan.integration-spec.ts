import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { planOf, PLANNED_TIMES } from '#test/statement-plans';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { DecidedAgainRepository } from './decided-again.repository.js';

let stores: TestDatabase;
let database: Database;
const sut = new DecidedAgainRepository();

beforeAll(async () => {
  stores = await createTestDatabase('demo');
  // As gateways connect.
  database = new Database({ url: stores.url, poolSize: 1 });
  // Changes of single accounts, for which PostgreSQL plans the statements.
  for (let time = 0; time < PLANNED_TIMES; time += 1) {
    await database.transaction(async (transaction) => {
      const concerned = { userIds: [1], messageIds: [1] };
      await sut.takeBack(transaction, concerned);
      await sut.wantedFrom(transaction, concerned);
    });
  }
});
afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
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
