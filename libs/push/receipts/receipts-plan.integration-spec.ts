import { describe, expect, it } from '@jest/globals';
import { PLANNED_TIMES, planOf, usePlannedDatabase } from '#test/statement-plans';
import { ReceiptRepository } from './receipts.repository.js';

const NOTIFICATIONS = 3000;
const USER_ID = 1;
const NO_DEVICE = 0;

const ACCEPT = `
  INSERT INTO push_notifications (id, user_id, kind, content, accepted_at, expires_at)
  SELECT gen_random_uuid(), ${USER_ID}, 'test', '{"kind": "test"}', now(), now() + interval '1 day'
  FROM generate_series(1, ${NOTIFICATIONS}) RETURNING id`;

const database = usePlannedDatabase();

describe(ReceiptRepository.name, () => {
  it('finds a notification by its id among thousands of its account, with the statistics of an empty ledger', async () => {
    // The account is not needed.
    await database.query('no_references', 'SET session_replication_role = replica');
    const accepted = await database.query<{ id: string }>('accept_many', ACCEPT);
    const sut = new ReceiptRepository(database);
    const add = async (notificationId = '') => {
      const receipt = { userId: USER_ID, deviceId: NO_DEVICE, messageId: null, time: 0 };
      const [known] = await sut.add([{ ...receipt, notificationId, event: 'received' }]);
      expect(known).not.toBeNull();
    };
    for (const { id } of accepted.slice(0, PLANNED_TIMES)) await add(id);
    const values = `'{}', '{}', '{}', '{}', '{}', '{}'`;
    // Would read all notifications of the account beside that of the id.
    expect(await planOf(database, 'add_push_receipts', values)).not.toContain('BitmapAnd');
  });
});
