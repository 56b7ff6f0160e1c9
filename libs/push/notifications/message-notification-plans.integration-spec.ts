import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { MessageFanOutRepository } from './fan-out/message-fan-out.repository.js';
import { MessageNotificationRepository } from './message-notification.repository.js';

const RECEIVED = `
  INSERT INTO user_messages (user_id, message_id)
  SELECT account.id, message.id FROM users account CROSS JOIN messages message
  ORDER BY message.id LIMIT $1::int`;

/** A message that does not exist. */
const message = { id: 0, senderId: 0, channelId: 0, mentionedVia: new Map<number, number>() };

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

/** The conditions of the scans of received messages in the plan of a prepared statement. */
async function scanConditionsOf(statement: string, values: string): Promise<string[]> {
  const text = `EXPLAIN EXECUTE ${statement}(${values})`;
  const rows = await database.query<{ 'QUERY PLAN': string }>(`plan of ${statement}`, text);
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  const scans = plan.matchAll(/Scan (?:using|on) user_messages_\w+.*\n\s+(Index Cond: .*)/g);
  return [...scans].map(([, condition = '']) => condition);
}

// Without statistics PostgreSQL estimates the rows by the size of the table.
describe.each([
  [20, 'with statistics'],
  [1000, 'with statistics'],
  [1000, 'without statistics'],
])('A statement that was planned with %d received messages, %s', (rows, statistics) => {
  beforeAll(async () => {
    await database.query('empty', 'TRUNCATE user_messages');
    await database.query('received', RECEIVED, [rows]);
    if (statistics === 'with statistics') await database.query('analyze', 'ANALYZE user_messages');
    const notifications = new MessageNotificationRepository(null);
    const fanOuts = new MessageFanOutRepository(database);
    await database.transaction(async (transaction) => {
      const options = { timeToLiveMs: 1000, traceParent: null };
      await notifications.notify(transaction, message, options);
      await fanOuts.nextPage(transaction, { messageId: 0, afterUserId: 0 }, 1000);
    });
  });

  it.each([
    ['notify_of_message', `1, NULL, 1, 1, 1, '{}', NULL, 0, 9`],
    ['fan_out_page', '1, 0, 1000'],
  ])('reads only the rows of the message: %s', async (statement, values) => {
    const conditions = await scanConditionsOf(statement, values);
    expect(conditions).toHaveLength(1);
    expect(conditions[0]).toMatch(/^Index Cond: \(message_id = '?\S+\)$/);
  });
});
