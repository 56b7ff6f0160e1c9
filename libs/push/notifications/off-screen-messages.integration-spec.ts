import { beforeEach, describe, expect, it } from '@jest/globals';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { OffScreenMessagesRepository } from './off-screen-messages.repository.js';

// The message `n` was notified to the accounts 1 to 100.
const ADD_PAGES = `
  INSERT INTO push_pages (id, realm_id, platform, content, expires_at, user_ids, device_ids, is_open, states, accepted_at)
  SELECT gen_random_uuid(), 1, 'web', jsonb_build_object('kind', 'message', 'messageId', n), now(),
    array(SELECT generate_series(1, 100)), array(SELECT generate_series(1, 100)), false, repeat('d', 100),
    now() - $3::interval
  FROM generate_series($1::int, $2::int) AS n`;

const ADD_ROWS = `
  INSERT INTO push_notifications (id, user_id, kind, content, expires_at)
  SELECT gen_random_uuid(), 1, 'message', jsonb_build_object('kind', 'message', 'messageId', n), now()
  FROM generate_series($1::int, $2::int) AS n`;

const RECEIVE = `
  INSERT INTO user_messages (user_id, message_id, is_read, is_pushed)
  SELECT $1::int, n, $4::boolean, NOT $4::boolean FROM generate_series($2::int, $3::int) AS n`;

const database = usePlannedDatabase();
const sut = new OffScreenMessagesRepository(database);

beforeEach(async () => {
  await database.query('empty', 'TRUNCATE push_notifications, push_pages, user_messages');
});

const addPages = (first: number, last: number, age = '0') =>
  database.query('add_pages', ADD_PAGES, [first, last, age]);

const addRows = (first: number, last: number) =>
  database.query('add_rows', ADD_ROWS, [first, last]);

const receive = (userId: number, first: number, last: number, isRead: boolean) =>
  database.query('receive', RECEIVE, [userId, first, last, isRead]);

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const offScreen = async (userId: number) =>
  (await sut.offScreen(userId)).toSorted((one, other) => one - other);

describe('The messages that a browser is to close', () => {
  it('are those that were read, of large messages and of small ones', async () => {
    await addPages(1, 4);
    await addRows(5, 8);
    await receive(1, 1, 2, true);
    await receive(1, 3, 6, false);
    await receive(1, 7, 8, true);
    expect(await offScreen(1)).toEqual([1, 2, 7, 8]);
  });

  it('are those of the account, also of a moment with others', async () => {
    await addPages(1, 2);
    await receive(1, 1, 2, true);
    await receive(2, 1, 2, false);
    expect(await Promise.all([1, 2, 101].map((userId) => sut.offScreen(userId)))).toEqual([
      expect.arrayContaining([1, 2]),
      [],
      [],
    ]);
  });

  it('are of the newest fifty, and of a day', async () => {
    await addPages(1, 5, '25 hours');
    await addRows(6, 40);
    await addPages(41, 60);
    await receive(1, 1, 60, true);
    expect(await offScreen(1)).toEqual(range(11, 60));
    await database.query('empty_rows', 'TRUNCATE push_notifications');
    expect(await offScreen(1)).toEqual(range(41, 60));
  });
});

describe('Its statement', () => {
  const plan = async (pages: number) => {
    await addPages(1, pages);
    await addRows(1, pages);
    const statistics = 'VACUUM ANALYZE push_notifications, push_pages, user_messages';
    await database.query('statistics', statistics);
    for (let time = 0; time < PLANNED_TIMES; time += 1) await sut.offScreen(1);
    return planOf(database, 'messages_off_screen', `'{}'`);
  };

  it.each([5, 500])('planned with %d pages, looks up the rows by their keys', async (pages) => {
    const text = await plan(pages);
    expect(text).not.toContain('Seq Scan on user_messages');
    expect(text).not.toContain('user_messages_pushed_idx');
  });

  it('planned with many pages, reads the newest of the account in the order of their index', async () => {
    expect(await plan(20_000)).toMatch(/push_pages_accounts_idx.*(\n.*){1,3}Order By: /);
  });
});
