import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import type { PushObserver } from '#push/observability';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import type { ClientTokens, WebPushRepository } from '#push/devices';
import { DeliveryClaimRepository } from './delivery-claim.repository.js';
import { DeliveryRecordRepository } from './delivery-record.repository.js';
import { DeliveryReturnRepository } from './delivery-return.repository.js';
import { plainRecord } from './delivery.rules.js';

const FEW = `
  INSERT INTO push_deliveries (notification_id, device_id, platform, state)
  SELECT gen_random_uuid(), n, 'apns', 'delivered' FROM generate_series(1, $1::int) AS n`;

const database = usePlannedDatabase();

/** Each index scan of the ledger, with the next line, which has its condition. */
const scansOf = (plan: string): string[] =>
  plan.match(/Scan using push_(?:deliveries|notifications)_\w+ on .*(?:\n.*)?/g) ?? [];

// Of a table that was vacuumed while it was empty any plan costs the same.
describe.each([5, 50, 200])('A statement that was planned with %d rows in the ledger', (rows) => {
  const key = { notificationId: randomUUID(), deviceId: 1 };

  beforeAll(async () => {
    await database.query('empty', 'TRUNCATE push_deliveries');
    await database.query('few', FEW, [rows]);
    await database.query('statistics', 'VACUUM ANALYZE push_deliveries, push_notifications');
    const deliveries = new DeliveryClaimRepository(database, 30_000, { hasTokens: true }, Date.now);
    const records = new DeliveryRecordRepository(
      database,
      {} as ClientTokens,
      {} as WebPushRepository,
      {} as PushObserver,
      new Metrics(),
    );
    const returns = new DeliveryReturnRepository(database, 30_000);
    for (let time = 0; time < PLANNED_TIMES; time += 1) {
      await deliveries.claim([key]);
      await returns.giveBack({ ...key, mayBeShown: false, databaseNow: 0 });
      await records.record(plainRecord({ ...key, mayBeShown: true }, 'delivered'));
      await records.record(plainRecord({ ...key, mayBeShown: true }, 'expired'));
    }
  });

  it.each([
    ['claim_deliveries', `'{}', '{}', 30, 5, 1, false`],
    ['give_back_deliveries', `'{}', '{}', '{}', '{}'`],
    ['record_delivered', `'{}', '{}'`],
    ['record_deliveries', `${Array.from({ length: 13 }, () => `'{}'`).join()}`],
  ])('does not scan the grown ledger: %s', async (statement, values) => {
    const plan = await planOf(database, statement, values);
    expect(plan).toContain('on push_deliveries');
    expect(plan).not.toContain('Seq Scan');
    // An index may be read as a whole as well.
    expect(scansOf(plan).filter((scan) => !scan.includes('Index Cond'))).toEqual([]);
  });
});
