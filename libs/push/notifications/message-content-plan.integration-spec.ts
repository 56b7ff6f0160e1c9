import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { MessageContentRepository } from './message-content.repository.js';

/** From then on PostgreSQL plans a prepared statement no more, if the plan seems to be as good for any values. */
const PLANNED_TIMES = 6;

const FEW = `
  INSERT INTO user_messages (user_id, message_id)
  SELECT account.id, message.id FROM users account CROSS JOIN messages message LIMIT $1::int`;

let stores: TestDatabase;
let database: Database;

beforeAll(async () => {
  stores = await createTestDatabase('demo');
  // One connection: plans are those of a connection.
  database = new Database({ url: stores.url, poolSize: 1, findsByIndex: true });
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe.each([0, 5, 50])('The statement that was planned with %d received messages', (rows) => {
  beforeAll(async () => {
    await database.query('empty', 'TRUNCATE user_messages');
    await database.query('few', FEW, [rows]);
    await database.query('statistics', 'VACUUM ANALYZE user_messages, messages');
    const sut = new MessageContentRepository(database);
    for (let time = 0; time < PLANNED_TIMES; time += 1) {
      await sut.unread({ userId: 1, messageId: 1, groupId: null });
    }
  });

  it('reads one row for each recipient', async () => {
    const text = `EXPLAIN EXECUTE unread_messages('{}', '{}', '{}')`;
    const lines = await database.query<{ 'QUERY PLAN': string }>('plan', text);
    const plan = lines.map((line) => line['QUERY PLAN']);
    const scan = plan.findIndex((line) => line.includes(' on user_messages'));

    expect(plan.slice(scan, scan + 2).join('\n')).toMatch(
      /Index .*\n.*Index Cond: \(\(user_id = asked\.user_id\) AND \(message_id = asked\.message_id\)\)/,
    );
  });
});
