import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { ClientTokens } from '#push/devices';
import { MessageContentRepository } from '#push/notifications';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { DeliveryClaimRepository } from '../delivery-claim.repository.js';
import { PageRepository } from './page.repository.js';

/** Closed pages of a hundred accounts each. */
const ADD = `
  INSERT INTO push_pages (id, realm_id, platform, content, expires_at, user_ids, device_ids, is_open, states)
  SELECT gen_random_uuid(), 1, 'fcm', jsonb_build_object('kind', 'message', 'messageId', n), now(), accounts, accounts,
    false, repeat('d', 100)
  FROM generate_series(1, $1::int) AS n CROSS JOIN LATERAL (
    SELECT array_agg(n % 100 * 100 + place) AS accounts FROM generate_series(1, 100) AS place
  ) AS these`;

const OPEN = `UPDATE push_pages SET is_open = true`;

const database = usePlannedDatabase();

/** Each index scan of pages, with the next line, which has its condition. */
const scansOf = (plan: string): string[] =>
  plan.match(/Scan (?:using|on) push_pages_\w+.*(?:\n.*)?/g) ?? [];

// Pages are open for seconds, so statistics say that none is.
describe.each([200, 2000])('A statement that was planned with %d closed pages', (rows) => {
  const key = { notificationId: randomUUID(), deviceId: 1 };

  beforeAll(async () => {
    await database.query('empty', 'TRUNCATE push_pages');
    await database.query('add', ADD, [rows]);
    await database.query('statistics', 'VACUUM ANALYZE push_pages');
    const service = { hasTokens: true };
    const pages = new PageRepository(database, {} as ClientTokens, 30_000, service);
    const deliveries = new DeliveryClaimRepository(database, 30_000, service, Date.now);
    const contents = new MessageContentRepository(database);
    for (let time = 0; time < PLANNED_TIMES; time += 1) {
      await pages.claim([randomUUID()]);
      await pages.close({ id: randomUUID(), states: '', own: [], learnt: [] });
      await deliveries.claim([key]);
      await contents.shownBefore({
        userId: 1,
        deviceId: 1,
        sequence: 1e9,
        attempts: 0,
        messageIds: [1],
      });
    }
    await database.query('open', OPEN);
  });

  it.each([
    ['claim_pages', `'{}', 30, 5, false`],
    ['close_pages', Array.from({ length: 7 }, () => `'{}'`).join()],
    ['claim_deliveries', `'{}', '{}', 30, 5, 1, false`],
    ['notified_messages', `'{}', '{}', '{}', '{}', '{}'`],
  ])('does not read all pages: %s', async (statement, values) => {
    const plan = await planOf(database, statement, values);
    expect(plan).toContain('push_pages');
    expect(plan).not.toContain('Seq Scan on push_pages');
    // The first open page is found in the order of an index.
    const isFirst = (scan: string) => /push_pages_open_in_order_idx on push_pages  /.test(scan);
    const whole = scansOf(plan).filter((scan) => !scan.includes('Index Cond') && !isFirst(scan));
    expect(whole).toEqual([]);
  });
});
