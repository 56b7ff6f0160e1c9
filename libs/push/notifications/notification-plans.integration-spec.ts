import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '#platform/database';
import { PUSH_TARGETS, RELAY_TARGETS } from '#push/devices';
import { rowsRead } from '#test/rows-read';
import { connectOnce, planOf } from '#test/statement-plans';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { AcceptanceRepository } from './acceptance.repository.js';
import { MessageFanOutRepository } from './fan-out/message-fan-out.repository.js';
import { MessageNotificationRepository } from './message-notification.repository.js';

const RECEIVED = `
  INSERT INTO user_messages (user_id, message_id)
  SELECT account.id, message.id FROM users account CROSS JOIN messages message
  ORDER BY message.id LIMIT $1::int`;

const ACCOUNTS = `
  INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
  SELECT realm_id, 'plan' || n, 'plan' || n, 'Plan', 400, decode(lpad(to_hex(n), 8, '0'), 'hex'), ''
  FROM generate_series(1, 2000) AS n CROSS JOIN (SELECT realm_id FROM users LIMIT 1) AS place`;

const PHONES = `
  INSERT INTO push_devices (user_id, platform, token, token_digest, key_generation)
  SELECT id, 'fcm', id::text, sha256(id::text::bytea), 1 FROM users`;

const DEFERRALS = `
  INSERT INTO push_deferrals (user_id, from_message_id, due_at) SELECT id, 1, now() FROM users`;

const CLIENT_DEVICES = `
  INSERT INTO client_devices (realm_id, user_id, key_generation, push_token_id, platform)
  SELECT realm_id, id, 1, '\\x0011223344556677', 'fcm' FROM users`;

const REMOVALS = `1, NULL, '{}', '{}', true`;

/** A message that does not exist. */
const message = { id: 0, senderId: 0, channelId: 0, mentionedVia: new Map<number, number>() };
const options = { timeToLiveMs: 1000, traceParent: null };

let stores: TestDatabase;
let database: Database;

/** Runs the statements for nothing, so that they are prepared. */
async function prepare(targets: string): Promise<void> {
  const notifications = new MessageNotificationRepository(targets);
  await new AcceptanceRepository(database).accept({
    id: randomUUID(),
    userId: 0,
    keyGeneration: 0,
    to: { kind: 'all' },
    content: { kind: 'test', time: 0 },
    timeToLiveMs: 0,
    traceParent: null,
    requestKey: null,
  });
  await database.transaction(async (transaction) => {
    for (const recipients of [1, 1000, [1], Array.from({ length: 1000 }, (_, index) => index)])
      await notifications.notify(transaction, message, options, recipients);
    await notifications.remove(transaction, [], options);
    await notifications.decide(transaction, [], options);
    await new MessageFanOutRepository(database).recipientsAfter(
      transaction,
      { messageId: 0, afterUserId: 0 },
      1000,
    );
  });
}

/** The scans of a table in the plan of a prepared statement, each with its condition. */
async function scansOf(table: string, statement: string, values: string): Promise<string[]> {
  const plan = await planOf(database, statement, values);
  return plan.match(new RegExp(String.raw`Scan (?:using|on) ${table}\w* .*(?:\n.*)?`, 'g')) ?? [];
}

beforeAll(async () => {
  stores = await createTestDatabase('demo');
  database = connectOnce(stores.url);
  await database.query('accounts', ACCOUNTS);
  await database.query('phones', PHONES);
  await database.query('client_devices', CLIENT_DEVICES);
  await database.query('deferrals', DEFERRALS);
  const ANALYZE = 'ANALYZE users, push_devices, client_devices, push_deferrals';
  await database.query('statistics', ANALYZE);
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

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
    await prepare(PUSH_TARGETS);
  });

  it.each([
    ['notify_of_message', `1, NULL, 1, 1, 1, '{}'`],
    ['notify_in_pages', `1, NULL, 1, 1, 1, '{}'`],
    ['fan_out_recipients', '1, 0, 1000'],
  ])('reads only the rows of the message: %s', async (statement, values) => {
    const scans = await scansOf('user_messages', statement, values);
    expect(scans.find((scan) => scan.includes('Index'))).toMatch(
      /Index Cond: \(message_id = '?\S+\)$/,
    );
  });

  it.each([
    ['notify_of_message_listed', `1, NULL, 1, 1, 1, '{}', '{1}'`],
    ['notify_in_pages_listed', `1, NULL, 1, 1, 1, '{}', '{1}'`],
    ['decide_about_messages', `1, NULL, '{}', '{}', '{}', '{}', '{}'`],
  ])('reads and marks only the rows of the listed recipients: %s', async (statement, values) => {
    const scans = await scansOf('user_messages', statement, values);
    expect(scans).toHaveLength(2);
    for (const scan of scans)
      expect(scan).toMatch(/Index Cond: \(\(user_id = .*\) AND \(message_id = '?\S+\)\)$/);
  });

  it.each([
    ['notify_of_message', `1, NULL, 1, 1, 1, '{}'`],
    ['notify_in_pages', `1, NULL, 1, 1, 1, '{}'`],
  ])('marks only the rows of what it notifies of: %s', async (statement, values) => {
    const scans = await scansOf('user_messages', statement, values);
    expect(scans).toContainEqual(
      expect.stringMatching(
        /received.*\n.*Index Cond: \(\(user_id = \S*user_id\) AND \(message_id = \S*message_id\)\)$/,
      ),
    );
  });
});

describe.each([
  ['', PUSH_TARGETS],
  [' of a relay', RELAY_TARGETS],
])('A statement%s with the phones of two thousand accounts', (_, targets) => {
  beforeAll(async () => {
    await database.onApplicationShutdown();
    database = connectOnce(stores.url);
    await prepare(targets);
  });

  it.each([
    ['accept_notifications', `'{}','{}','{}','{}','{}','{}','{}','{}','{}','{}','{}','{}'`],
    ['notify_of_message', `1, NULL, 1, 1, 1, '{}'`],
    ['notify_in_pages', `1, NULL, 1, 1, 1, '{}'`],
    ['notify_in_pages_listed', `1, NULL, 1, 1, 1, '{}', '{1}'`],
    ['accept_removals', REMOVALS],
  ])('looks up only the phones of the notified accounts: %s', async (statement, values) => {
    for (const table of ['push_devices', 'client_devices']) {
      const scans = await scansOf(table, statement, values);
      expect(scans).not.toEqual([]);
      for (const scan of scans) expect(scan).toMatch(/Index Cond: \(\(?user_id = /);
    }
  });

  it('looks up the deferral of each account by its key', async () => {
    const values = `1, NULL, 1, 1, 1, '{}'`;
    const scans = await scansOf('push_deferrals', 'notify_of_message', values);
    expect(scans.length).toBeGreaterThan(1);
    for (const scan of scans) expect(scan).toMatch(/Index Cond: \(user_id = \w+\.(?:user_)?id\)/);
  });

  it('looks up the reminders of removed messages by their keys', async () => {
    expect(await scansOf('push_reminders', 'accept_removals', REMOVALS)).toContainEqual(
      expect.stringMatching(/using push_reminders_pkey on push_reminders reminder/),
    );
  });

  it('compares no account of a decision with each other one', async () => {
    const plan = await planOf(
      database,
      'decide_about_messages',
      `1, NULL, '{}', '{}', '{}', '{}', '{}'`,
    );
    expect(plan).not.toMatch(/Join Filter: .*\btarget\w*\.user_id/);
  });

  it('reads no removals that wait for accounts of other organisations', async () => {
    const add = `INSERT INTO push_removal_pages (realm_id, removals) VALUES (0, '[[0, [0]]]')`;
    await database.query('removals_of_others', add);
    const candidate = { userId: 1, messageId: 0, groupId: null, isCaughtUp: false, replaces: null };
    const notifications = new MessageNotificationRepository(targets);
    const decide = () =>
      database.transaction((transaction) =>
        notifications.decide(transaction, [candidate], options),
      );
    expect(await rowsRead(database, 'push_removal_pages', decide)).toBe(0);
    await database.query('no_removals', 'TRUNCATE push_removal_pages');
  });

  it('reads the removals that wait once, also if it was planned without any', async () => {
    await database.query('vacuum', 'VACUUM ANALYZE push_removal_pages');
    const values = `1, NULL, '{}', '{}', '{}', '{}', '{}'`;
    expect(await planOf(database, 'decide_about_messages', values)).toMatch(
      /Hash (?:Right )?Anti Join .*\n +Hash Cond: .*removal\.value/,
    );
    const listed = await planOf(
      database,
      'notify_in_pages_listed',
      `1, NULL, 1, 1, 1, '{}', '{1}'`,
    );
    expect(listed).toMatch(/InitPlan.*\n.*Nested Loop.*\n(?:.*\n){3}.*on push_removal_pages/);
  });
});
