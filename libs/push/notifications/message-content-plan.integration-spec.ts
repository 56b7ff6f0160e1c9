import { beforeAll, describe, expect, it } from '@jest/globals';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { addCrowdedRealm } from '#test/rows-read';
import { MessageContentRepository } from './message-content.repository.js';

const FEW = `
  INSERT INTO user_messages (user_id, message_id)
  SELECT account.id, message.id FROM users account CROSS JOIN messages message LIMIT $1::int`;

const database = usePlannedDatabase('demo');

beforeAll(async () => {
  await addCrowdedRealm(database);
});

describe.each([0, 5, 50])('The statement that was planned with %d received messages', (rows) => {
  beforeAll(async () => {
    await database.query('empty', 'TRUNCATE user_messages');
    await database.query('few', FEW, [rows]);
    await database.query('few_statistics', 'VACUUM ANALYZE user_messages, messages');
    const sut = new MessageContentRepository(database);
    for (let time = 0; time < PLANNED_TIMES; time += 1) {
      await sut.unread({ userId: 1, messageId: 1, groupId: null });
    }
  });

  it('reads one row for each recipient', async () => {
    const plan = (await planOf(database, 'unread_notified_messages', `'{}', '{}', '{}'`)).split(
      '\n',
    );
    const scan = plan.findIndex((line) => line.includes(' on user_messages'));

    expect(plan.slice(scan, scan + 2).join('\n')).toMatch(
      /Index .*\n.*Index Cond: \(\(user_id = asked\.user_id\) AND \(message_id = sent\w*\.id\)\)/,
    );
  });

  it('reads one account for each recipient', async () => {
    const plan = await planOf(database, 'unread_notified_messages', `'{}', '{}', '{}'`);
    const lines = plan.split('\n');
    const scans = lines.flatMap((line, index) => (/ on users\b/.test(line) ? index : []));

    expect(scans.length).toBeGreaterThan(1);
    for (const scan of scans) expect(lines[scan + 1]).toMatch(/Index Cond: \(id = /);
  });
});
