import { beforeAll, describe, expect, it } from '@jest/globals';
import { TenantDeviceRepository } from '../devices/tenant-device.repository.js';
import { planOf, PLANNED_TIMES, usePlannedDatabase } from '#test/statement-plans';
import { TenantDeliveryRepository, type TenantRecord } from './tenant-delivery.repository.js';

const record: TenantRecord = {
  id: 1,
  state: 'delivered',
  isAttempt: true,
  reason: null,
  dueAt: null,
  dead: null,
  learnt: null,
};

const FEW = `
  INSERT INTO remote_deliveries (server_id, device_id, platform, state, expires_at)
  SELECT 1, 1, 'apns', 'pending', now() FROM generate_series(1, $1::int)`;

const database = usePlannedDatabase();

// With none pending, both indexes of pending deliveries cost the same.
describe.each([200, 5000])('A statement that was planned with %d pending deliveries', (rows) => {
  beforeAll(async () => {
    await database.query('empty', 'TRUNCATE remote_deliveries');
    await database.query('few', FEW, [rows]);
    await database.query('statistics', 'VACUUM ANALYZE remote_deliveries');
    const devices = new TenantDeviceRepository(database);
    const deliveries = new TenantDeliveryRepository(database, devices, 30_000, Date.now);
    for (let time = 0; time < PLANNED_TIMES; time += 1) {
      await deliveries.claim([0]);
      await deliveries.record({ ...record, id: 0 });
    }
  });

  it.each([
    ['claim_remote_deliveries', `'{}', 30, 1`],
    ['record_remote_deliveries', `'{}', '{}', '{}', '{}', '{}'`],
  ])('finds the others of a phone by their index: %s', async (statement, values) => {
    const plan = await planOf(database, statement, values);
    expect(plan).not.toContain('Seq Scan on remote_deliveries');
    expect(plan).toMatch(/Scan using remote_deliveries_pending_of_device_idx .*\n.*Index Cond/);
  });
});
