import { beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import type { PhonePlatform } from '#push/jobs';
import { MAX_BLOCKING_ATTEMPTS } from '#push/notifications';
import { TenantAcceptanceRepository } from '../notify/tenant-acceptance.repository.js';
import { TenantDeviceRepository } from '../devices/tenant-device.repository.js';
import { addRemotePhone, addRemoteServer } from '#test/remote-rows';
import { useDatabase } from '#test/use-fixture';
import { unchanged } from './tenant-delivery.rules.js';
import { TenantDeliveryRepository, UNREADABLE } from './tenant-delivery.repository.js';
import { TenantSweepRepository } from './tenant-sweep.repository.js';

const LEASE_MS = 30_000;

/** It is ahead of the clock of PostgreSQL. */
const clock = () => Date.now() + 4000;

const UPDATES = `
  SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS "inPlace"
  FROM pg_stat_user_tables WHERE relname = 'remote_deliveries'`;

const stores = useDatabase();
let sut: TenantDeliveryRepository;

beforeAll(async () => {
  const devices = new TenantDeviceRepository(stores.database);
  sut = new TenantDeliveryRepository(stores.database, devices, LEASE_MS, clock);
});

/** A phone of a new server. */
async function addPhone() {
  const { prisma } = stores.database;
  const serverId = await addRemoteServer(prisma);
  const { id: deviceId } = await addRemotePhone(prisma, serverId);
  return { serverId, deviceId };
}

async function accept(
  { serverId, deviceId }: Awaited<ReturnType<typeof addPhone>>,
  isSilent = false,
) {
  const sealed = Buffer.from('sealed');
  const given = { deviceId, platform: 'fcm', sealed, isSilent, timeToLiveMs: 60_000 } as const;
  const [accepted] = await new TenantAcceptanceRepository(stores.database).accept(serverId, [
    given,
  ]);
  return accepted?.id ?? 0;
}

/** Deliveries of a new server to a phone each; resolves with their ids. */
async function acceptMany(count: number): Promise<number[]> {
  const { prisma } = stores.database;
  const serverId = await addRemoteServer(prisma);
  const sealed = Buffer.alloc(900);
  const deliveries = await Promise.all(
    Array.from({ length: count }, async () => {
      const { id: deviceId } = await addRemotePhone(prisma, serverId);
      return { deviceId, platform: 'fcm', sealed, isSilent: false, timeToLiveMs: 60_000 } as const;
    }),
  );
  const acceptance = new TenantAcceptanceRepository(stores.database);
  return (await acceptance.accept(serverId, deliveries)).map(({ id }) => id);
}

describe('A claim', () => {
  it.each([
    ['a removal', true, 'TooManyRequests', false],
    ['a message', false, 'TooManyRequests', true],
    ['a removal', true, UNREADABLE, true],
  ])(
    'of %s (%s) behind one that has failed often: %s',
    async (_which, isSilent, reason, isLeased) => {
      const phone = await addPhone();
      const id = await accept(phone);
      const waits = { attempts: 5, reason, dueAt: new Date(Date.now() + 60_000) };
      await stores.database.prisma.remoteDelivery.update({ where: { id }, data: waits });
      const [later] = await sut.claim([await accept(phone, isSilent)]);
      expect(later).toMatchObject({ isLeased });
    },
  );

  it('writes no index, although the deliveries fill many pages', async () => {
    const ids = await acceptMany(100);
    // With one connection, whose statistics are there at once.
    const database = new Database({ url: stores.url, poolSize: 1 });
    const updates = async () => {
      await database.query('flush', 'SELECT pg_stat_force_next_flush()');
      const [row] = await database.query<{ updates: number; inPlace: number }>('updates', UPDATES);
      return row ?? { updates: 0, inPlace: 0 };
    };
    try {
      const before = await updates();
      const devices = new TenantDeviceRepository(database);
      await new TenantDeliveryRepository(database, devices, LEASE_MS, clock).claim(ids);
      const after = await updates();
      expect(after.updates - before.updates).toBe(ids.length);
      expect(after.inPlace - before.inPlace).toBe(ids.length);
    } finally {
      await database.onApplicationShutdown();
    }
  });

  it('leases a delivery to one of two jobs, also in the same statement', async () => {
    const id = await accept(await addPhone());
    const claims = (await Promise.all([sut.claim([id]), sut.claim([id])])).flat();
    expect(claims).toMatchObject([{ isLeased: true }, { isLeased: false, sealed: null }]);
    const [, second] = claims;
    expect(second?.dueAt).toBeGreaterThan(clock() + LEASE_MS - 2000);
    expect(await sut.claim([id])).toMatchObject([{ isLeased: false }]);
  });

  it.each([
    [4, false],
    [5, true],
  ])('of a delivery behind one with %i failed attempts leases it: %s', async (attempts, isDue) => {
    const phone = await addPhone();
    const first = await accept(phone);
    const second = await accept(phone);
    const dueAt = new Date(Date.now() + 60_000);
    await stores.database.prisma.remoteDelivery.update({
      where: { id: first },
      data: { attempts, dueAt, reason: 'TooManyRequests' },
    });
    const [claim] = await sut.claim([second]);
    expect(claim?.isLeased).toBe(isDue);
    expect(claim?.behindUntil === null).toBe(isDue);
  });

  it('of a delivery that is not yet due, or behind one, waits as long with a clock that is ahead', async () => {
    const phone = await addPhone();
    const [first, second] = [await accept(phone), await accept(phone)];
    const [begin, dueAt] = [Date.now(), new Date(Date.now() + 60_000)];
    await stores.database.prisma.remoteDelivery.update({
      where: { id: first },
      data: { dueAt, reason: 'TooManyRequests' },
    });
    const [retried, behind] = await sut.claim([first, second]);
    for (const until of [retried?.dueAt, behind?.behindUntil]) {
      const waitMs = (until ?? 0) - clock();
      expect(waitMs).toBeLessThanOrEqual(dueAt.getTime() - begin);
      expect(waitMs).toBeGreaterThan(dueAt.getTime() - begin - 2000);
    }
  });
});

describe('A record', () => {
  it('of a retry waits as long with a clock that is ahead', async () => {
    const id = await accept(await addPhone());
    const dueAt = new Date(clock() + 60_000);
    await sut.record({ ...unchanged({ id }), dueAt });
    const { prisma } = stores.database;
    const row = await prisma.remoteDelivery.findUniqueOrThrow({ where: { id } });
    const waitMs = row.dueAt.getTime() - Date.now();
    expect(waitMs).toBeLessThanOrEqual(59_000);
    expect(waitMs).toBeGreaterThan(30_000);
  });
});

describe('A record after which others need not wait', () => {
  it('of an end names the first to the phone that does not wait for a retry', async () => {
    const [phone, other] = [await addPhone(), await addPhone()];
    const [first, second, third] = [await accept(phone), await accept(phone), await accept(phone)];
    await accept(other);
    const { prisma } = stores.database;
    const end = (id: number) => sut.record({ ...unchanged({ id }), state: 'delivered' });
    const waits = { attempts: 5, reason: 'TooManyRequests', dueAt: new Date(Date.now() + 60_000) };
    await prisma.remoteDelivery.update({ where: { id: second }, data: waits });
    expect(await end(first)).toBe(third);
    expect(await end(third)).toBeNull();
  });

  it('of the fifth attempt names the next one', async () => {
    const phone = await addPhone();
    const [first, second] = [await accept(phone), await accept(phone)];
    const attempt = { ...unchanged({ id: first }), isAttempt: true, reason: 'TooManyRequests' };
    const { prisma } = stores.database;
    await prisma.remoteDelivery.update({ where: { id: first }, data: { attempts: 3 } });
    expect(await sut.record(attempt)).toBeNull();
    expect(await sut.record(attempt)).toBe(second);
  });
});

describe(TenantSweepRepository.name, () => {
  const overdue = async (platform: PhonePlatform, afterId: number, limit: number) => {
    const sweep = new TenantSweepRepository(stores.database);
    return (await sweep.overdue(platform, 5000, afterId, limit)).map(({ id }) => id);
  };

  it('finds the overdue deliveries of a platform page by page, each once', async () => {
    const ids = await acceptMany(5);
    const { prisma } = stores.database;
    const where = { id: { in: ids } };
    await prisma.remoteDelivery.updateMany({ where, data: { dueAt: new Date(Date.now() - 9000) } });
    const before = Math.min(...ids) - 1;
    expect(await overdue('apns', before, 3)).toEqual([]);
    expect(await overdue('fcm', before, 3)).toEqual(ids.slice(0, 3));
    expect(await overdue('fcm', ids[2] ?? 0, 3)).toEqual(ids.slice(3));
    expect(await overdue('fcm', before, 3)).toEqual([]);
  });

  it('finds only the first of several to a device, and those behind one that has failed often', async () => {
    const [phone, other] = [await addPhone(), await addPhone()];
    const ids = [
      await accept(phone),
      await accept(phone),
      await accept(other),
      await accept(phone),
    ];
    const { prisma } = stores.database;
    const makeDue = (data: object) =>
      prisma.remoteDelivery.updateMany({
        where: { id: { in: ids } },
        data: { dueAt: new Date(Date.now() - 9000), ...data },
      });
    const before = Math.min(...ids) - 1;
    await makeDue({});
    expect(await overdue('fcm', before, 9)).toEqual([ids[0], ids[2]]);
    await makeDue({ attempts: MAX_BLOCKING_ATTEMPTS });
    expect(await overdue('fcm', before, 9)).toEqual(ids);
  });
});
