import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#database';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-stores.js';
import { SweepRepository } from './sweep.repository.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEVICES = [1, 2];
const DELIVERY = { platform: 'apns', state: 'delivered' };

let stores: TestDatabase;
let database: Database;
let ledger: SweepRepository;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1, findsByIndex: true });
  ledger = new SweepRepository(database);
}, 20_000);

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

/** A notification to two devices; resolves with its id. */
async function addNotification(acceptedMsAgo: number, livesMs: number): Promise<string> {
  const id = randomUUID();
  const acceptedAt = new Date(Date.now() - acceptedMsAgo);
  const expiresAt = new Date(acceptedAt.getTime() + livesMs);
  await database.prisma.pushNotification.create({
    data: { id, userId: 1, kind: 'test', content: {}, acceptedAt, expiresAt },
  });
  await database.prisma.pushDelivery.createMany({
    data: DEVICES.map((deviceId) => ({ notificationId: id, deviceId, ...DELIVERY })),
  });
  return id;
}

const notifications = async (): Promise<string[]> => {
  const rows = await database.prisma.pushNotification.findMany();
  return rows.map(({ id }) => id).toSorted();
};

const notificationsOfDeliveries = async (): Promise<string[]> => {
  const rows = await database.prisma.pushDelivery.findMany();
  return rows.map(({ notificationId }) => notificationId).toSorted();
};

describe('What the ledger forgets', () => {
  it('is what is old and has expired and left no dead letter, whole, and nothing else', async () => {
    const old = await addNotification(2 * DAY_MS, HOUR_MS);
    await addNotification(3 * DAY_MS, HOUR_MS);
    const recent = await addNotification(HOUR_MS, HOUR_MS);
    const alive = await addNotification(2 * DAY_MS, 3 * DAY_MS);
    const refused = await addNotification(2 * DAY_MS, HOUR_MS);
    await database.prisma.pushDeadLetter.create({
      data: {
        notificationId: refused,
        deviceId: 1,
        userId: 1,
        platform: 'apns',
        kind: 'test',
        reason: 'PayloadTooLarge',
        payload: {},
      },
    });
    expect(await ledger.forget(DAY_MS, 1)).toBe(1);
    expect(await notifications()).toEqual([old, recent, alive, refused].toSorted());
    expect(await ledger.forget(DAY_MS, 10)).toBe(1);
    const kept = [recent, alive, refused];
    expect(await notifications()).toEqual(kept.toSorted());
    expect(await notificationsOfDeliveries()).toEqual([...kept, ...kept].toSorted());
  });
});
