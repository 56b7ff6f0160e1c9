import { beforeEach, describe, expect, it } from '@jest/globals';
import { countStatements } from '#test/count-statements';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { BadgeRepository } from './badge.repository.js';

const RECEIVE = `
  INSERT INTO user_messages (user_id, message_id, is_read, is_pushed)
  SELECT $1::int, n, $4::boolean, $5::boolean FROM generate_series($2::int, $3::int) AS n`;

const database = usePlannedDatabase();
let sut: BadgeRepository;

beforeEach(async () => {
  sut = new BadgeRepository(database);
  await database.query('empty', 'TRUNCATE user_messages');
});

const receive = (
  userId: number,
  [first, last]: readonly [number, number],
  { isRead = false, isPushed = true } = {},
) => database.query('receive', RECEIVE, [userId, first, last, isRead, isPushed]);

describe(BadgeRepository.name, () => {
  it('counts the unread messages that phones show, of all accounts of a moment in one statement', async () => {
    await receive(1, [1, 3]);
    await receive(1, [4, 5], { isRead: true });
    await receive(1, [6, 9], { isPushed: false });
    await receive(2, [1, 1]);
    let counts: readonly number[] = [];
    const statements = await countStatements(async () => {
      counts = await Promise.all([sut.count(2), sut.count(3), sut.count(1), sut.count(2)]);
    });
    expect(counts).toEqual([1, 0, 3, 1]);
    expect(statements).toBe(1);
  });

  it('counts to 999', async () => {
    await receive(1, [1, 1005]);
    expect(await sut.count(1)).toBe(999);
  });

  it('reads what phones show, and not what else is unread', async () => {
    await receive(1, [1, 3000], { isPushed: false });
    await receive(1, [3001, 3003]);
    await database.query('analyze', 'ANALYZE user_messages');
    // PostgreSQL keeps the plan of a statement then.
    for (let time = 0; time < PLANNED_TIMES; time += 1) await sut.count(1);
    expect(await planOf(database, 'count_badges', `'{}'`)).toContain('user_messages_pushed_idx');
  });
});
