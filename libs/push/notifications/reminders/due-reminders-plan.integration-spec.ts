import { expect, it } from '@jest/globals';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { ReminderRepository } from './reminder.repository.js';

const ADD = `
  INSERT INTO push_reminders (user_id, message_id, notification_id, due_at)
  SELECT 1 + n / 10, n, gen_random_uuid(), now() + interval '1 hour' - CASE WHEN n % 1000 = 3 THEN interval '2 hours' ELSE '0' END
  FROM generate_series(1, 10000) AS n`;

const database = usePlannedDatabase();

it('The statement that finds a due account reads no other, planned while few were due', async () => {
  await database.query('add', ADD);
  await database.query('statistics', 'ANALYZE push_reminders');
  const sut = new ReminderRepository(database);
  for (let time = 0; time < PLANNED_TIMES; time += 1) {
    await database.transaction((transaction) => sut.lockDue(transaction));
  }
  const plan = await planOf(database, 'lock_due_reminders', '');
  expect(plan).toMatch(/Scan using push_reminders_pkey on push_reminders earlier/);
});
