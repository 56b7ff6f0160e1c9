import { beforeEach, describe, expect, it } from '@jest/globals';
import { uuidV7 } from '#platform/core';
import { Database } from '#platform/database';
import { useConnection, useDatabase } from '#test/use-fixture';
import { lockLedger, RetentionRepository } from './retention.repository.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEVICES = [1, 2];
const DELIVERY = { platform: 'apns', state: 'delivered' };
const FIRST = { notificationId: '00000000-0000-0000-0000-000000000000', deviceId: 0 };

const stores = useDatabase();
const database = useConnection(stores, { poolSize: 2, findsByIndex: true });
const sut = new RetentionRepository(database);

beforeEach(async () => {
  await database.prisma
    .$executeRaw`TRUNCATE push_notifications, push_deliveries, push_dead_letters`;
});

/** A notification to two devices; resolves with its id. */
async function addNotification(acceptedMsAgo: number, livesMs: number): Promise<string> {
  const acceptedAt = new Date(Date.now() - acceptedMsAgo);
  const id = uuidV7(acceptedAt.getTime());
  const expiresAt = new Date(acceptedAt.getTime() + livesMs);
  await database.prisma.pushNotification.create({
    data: { id, userId: 1, kind: 'test', content: {}, acceptedAt, expiresAt },
  });
  await database.prisma.pushDelivery.createMany({
    data: DEVICES.map((deviceId) => ({ notificationId: id, deviceId, ...DELIVERY })),
  });
  return id;
}

const addDeadLetter = (notificationId: string, ageMs = 0) =>
  database.prisma.pushDeadLetter.create({
    data: {
      notificationId,
      deviceId: 1,
      userId: 1,
      platform: 'apns',
      kind: 'test',
      reason: 'PayloadTooLarge',
      payload: {},
      createdAt: new Date(Date.now() - ageMs),
    },
  });

const notifications = async (): Promise<string[]> => {
  const rows = await database.prisma.pushNotification.findMany();
  return rows.map(({ id }) => id).toSorted();
};

const notificationsOfDeliveries = async (): Promise<string[]> => {
  const rows = await database.prisma.pushDelivery.findMany();
  return rows.map(({ notificationId }) => notificationId).toSorted();
};

describe(`${RetentionRepository.name}.forgetNotifications`, () => {
  it('removes old expired notifications with their deliveries only', async () => {
    const old = await addNotification(2 * DAY_MS, HOUR_MS);
    await addNotification(3 * DAY_MS, HOUR_MS);
    const recent = await addNotification(HOUR_MS, HOUR_MS);
    const alive = await addNotification(2 * DAY_MS, 3 * DAY_MS);
    expect(await sut.forgetNotifications(DAY_MS, 1)).toBe(1);
    expect(await notifications()).toEqual([old, recent, alive].toSorted());
    expect(await sut.forgetNotifications(DAY_MS, 10)).toBe(1);
    const kept = [recent, alive];
    expect(await notifications()).toEqual(kept.toSorted());
    expect(await notificationsOfDeliveries()).toEqual([...kept, ...kept].toSorted());
  });

  it('removes a notification with a dead letter, which keeps a copy', async () => {
    const id = await addNotification(2 * DAY_MS, HOUR_MS);
    await addDeadLetter(id);
    expect(await sut.forgetNotifications(DAY_MS, 10)).toBe(1);
    const [letter] = await database.prisma.pushDeadLetter.findMany();
    expect(letter).toMatchObject({ notificationId: id, content: {} });
    expect((letter?.expiresAt?.getTime() ?? 0) - (letter?.acceptedAt?.getTime() ?? 0)).toBe(
      HOUR_MS,
    );
  });

  it('does nothing while another process does it', async () => {
    await addNotification(2 * DAY_MS, HOUR_MS);
    await database.transaction(async (session) => {
      await lockLedger(session);
      expect(await sut.forgetNotifications(DAY_MS, 10)).toBe(0);
    });
    expect(await sut.forgetNotifications(DAY_MS, 10)).toBe(1);
  });

  it('reads the same number of rows with any number of dead letters', async () => {
    // Old ones first, each with a letter; then some that are to be removed.
    await fill(0, 20_000, 3 * DAY_MS);
    await database.query('letters', LETTERS);
    await fill(20_000, 500, 2 * DAY_MS);
    await database.query('statistics', 'ANALYZE');
    // One connection, since each counts what it reads.
    const single = new Database({ url: stores.url, poolSize: 1, findsByIndex: true });
    const reads: number[] = [];
    try {
      const ledger = new RetentionRepository(single);
      for (;;) {
        const before = await blocksRead(single);
        const removed = await ledger.forgetNotifications(DAY_MS, 500);
        if (removed === 0) break;
        reads.push((await blocksRead(single)) - before);
      }
    } finally {
      await single.onApplicationShutdown();
    }
    expect(await database.prisma.pushDeadLetter.count()).toBe(20_000);
    expect(await notifications()).toEqual([]);
    // The last page reads no more than twice what the first did, though there are letters of all that went before.
    expect(reads).toHaveLength(41);
    expect(reads.at(-1)).toBeLessThan(2 * (reads[0] ?? 0));
  });
});

describe(`${RetentionRepository.name}.forgetDeadLetters`, () => {
  it('removes old letters page by page', async () => {
    const ids = [];
    for (const age of [3, 2, 0]) {
      const id = uuidV7();
      await addDeadLetter(id, age * DAY_MS);
      ids.push(id);
    }
    expect(await sut.forgetDeadLetters(DAY_MS, 1)).toBe(1);
    expect(await sut.forgetDeadLetters(DAY_MS, 5)).toBe(1);
    expect(await database.prisma.pushDeadLetter.findMany()).toEqual([
      expect.objectContaining({ notificationId: ids[2] }),
    ]);
  });
});

describe(`${RetentionRepository.name}.removeOrphans`, () => {
  it('reads all deliveries in slices, and removes those without a notification', async () => {
    const kept = [await addNotification(0, HOUR_MS), await addNotification(0, HOUR_MS)];
    for (let gone = 0; gone < 3; gone += 1) {
      const id = await addNotification(9 * DAY_MS, HOUR_MS);
      await database.prisma.pushNotification.deleteMany({ where: { id } });
    }
    const removed: number[] = [];
    let after: typeof FIRST | null = FIRST;
    while (after !== null) {
      const slice: Awaited<ReturnType<typeof sut.removeOrphans>> = await sut.removeOrphans(
        after,
        4,
      );
      removed.push(slice.removed);
      after = slice.next;
    }
    expect(removed).toEqual([4, 2, 0]);
    expect(await notificationsOfDeliveries()).toEqual([...kept, ...kept].toSorted());
  });
});

/** Delivered notifications with a device each, from a number on. */
async function fill(from: number, count: number, ageMs: number): Promise<void> {
  await database.query('notifications', NOTIFICATIONS, [from, count, ageMs / 1000]);
  await database.query('deliveries', DELIVERIES, [from, count]);
}

const ID = `lpad(to_hex(n), 32, '0')::uuid`;

const NOTIFICATIONS = `
  INSERT INTO push_notifications (id, realm_id, user_id, kind, content, accepted_at, expires_at)
  SELECT ${ID}, 1, 1, 'test', '{}', now() - make_interval(secs => $3), now() - interval '1 hour'
  FROM generate_series($1::int, $1 + $2::int - 1) AS n`;

const DELIVERIES = `
  INSERT INTO push_deliveries (notification_id, device_id, realm_id, platform, state)
  SELECT ${ID}, 1, 1, 'apns', 'rejected' FROM generate_series($1::int, $1 + $2::int - 1) AS n`;

const LETTERS = `
  INSERT INTO push_dead_letters (notification_id, device_id, user_id, platform, kind, reason, payload)
  SELECT id, 1, 1, 'apns', 'test', 'PayloadTooLarge', '{}' FROM push_notifications`;

/** Pages that this database has touched, in memory or not, as its statistics say at last. */
async function blocksRead(connection: Database): Promise<number> {
  await connection.query('flush', 'SELECT pg_stat_force_next_flush()');
  const [row] = await connection.query<{ blocks: string }>(
    'blocks',
    `SELECT sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::text AS blocks
     FROM pg_statio_user_tables WHERE relname LIKE 'push%'`,
  );
  return Number(row?.blocks);
}
