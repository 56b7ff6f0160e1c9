import { beforeAll, describe, expect, it } from '@jest/globals';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { MessageContentRepository } from './message-content.repository.js';

const ADD = `
  WITH added AS (
    INSERT INTO push_notifications (id, user_id, kind, content, expires_at)
    SELECT gen_random_uuid(), 1, 'message', jsonb_build_object('kind', 'message', 'messageId', n), now()
    FROM generate_series(1, $1::int) AS n RETURNING id
  )
  INSERT INTO push_deliveries (notification_id, device_id, platform, state, may_be_shown)
  SELECT id, device_id, 'fcm', 'withdrawn', false FROM added CROSS JOIN generate_series(1, 2) AS device_id`;

const STATISTICS = 'VACUUM ANALYZE push_notifications, push_deliveries, messages';

const database = usePlannedDatabase();
const sut = new MessageContentRepository(database);

/** The removals of messages from two phones of an account, a page of 200 in each. */
const remove = (messages: number) =>
  Promise.all(
    [1, 2].flatMap((deviceId) =>
      Array.from({ length: messages / 200 }, (_, page) =>
        sut.shownBefore({
          userId: 1,
          deviceId,
          sequence: 1e9,
          attempts: 0,
          messageIds: Array.from({ length: 200 }, (_id, index) => page * 200 + index + 1),
        }),
      ),
    ),
  );

describe.each([5, 500])(
  'The statement that finds shown messages, planned with %d notifications',
  (rows) => {
    beforeAll(async () => {
      await database.query('empty', 'TRUNCATE push_notifications, push_deliveries');
      await database.query('add', ADD, [rows]);
      await database.query('statistics', STATISTICS);
      for (let time = 0; time < PLANNED_TIMES; time += 1) await remove(200);
      await database.query('add', ADD, [10_000]);
    });

    it('looks up each row of the grown ledger by its key', async () => {
      const plan = await planOf(database, 'notified_messages', `'{}', '{}', '{}', '{}', '{}'`);
      expect(plan).not.toContain('Seq Scan');
      expect(plan).toMatch(/Index Cond: \(\(ROW\(user_id, accepted_at\) > ROW\(asked\.user_id, /);
      expect(plan).toMatch(/Index Cond: \(\(notification_id = \S+\) AND \(device_id = /);
    });

    it('finds that no phone shows ten thousand messages', async () => {
      const found = await remove(10_000);
      expect(found).toHaveLength(100);
      expect(found.flat()).toEqual([]);
    });
  },
);
