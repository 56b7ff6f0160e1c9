import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  DeadLetters,
  DismissDeadLetters,
  FindNotifications,
  ListPausedPlatforms,
  PausePlatform,
  RequeueDeadLetters,
  ResumePlatform,
  SendTestTo,
} from '#push';
import { JobQueues } from '#queue';
import { deliveriesTo } from '../support/push-ledger.js';
import { OperatedWorld, type WorldDevice } from './push-operate.world.js';

let world: OperatedWorld;
let device: WorldDevice;

beforeAll(async () => {
  world = await OperatedWorld.start();
  device = await world.addDevice((await world.addPerson()).id, 'apns');
}, 30_000);
afterAll(() => world.stop());

const waiting = async (queue: 'push-apns' | 'push-fcm') =>
  (await world.operator.get(JobQueues, { strict: false }).counts(queue)).waiting;

describe(FindNotifications.name, () => {
  const find = (...args: Parameters<FindNotifications['execute']>) =>
    world.operator.get(FindNotifications).execute(...args);

  it('tells of each delivery how it stands, and what was tried', async () => {
    const id = await world.addNotification(device.userId);
    const other = await world.addDevice(device.userId);
    await world.addDelivery(id, device, {
      attempts: 1,
      reason: 'ServiceUnavailable',
      dueAt: new Date('2030-01-01T00:00:02Z'),
      history: [
        {
          at: '2030-01-01T00:00:00.000Z',
          reason: 'ServiceUnavailable',
          next: '2030-01-01T00:00:02.000Z',
        },
      ],
    });
    await world.addDelivery(id, other, {
      state: 'dead_token',
      attempts: 2,
      reason: 'UNREGISTERED',
    });

    const [found, ...others] = await find({ notificationId: id }, 10);

    expect(others).toEqual([]);
    expect(found).toMatchObject({ id, kind: 'test', userId: device.userId });
    expect(found?.states).toEqual({ pending: 1, dead_token: 1 });
    expect(found?.deliveries).toEqual([
      {
        deviceId: device.id,
        platform: 'apns',
        appId: 'org.carillon.demo',
        fingerprint: device.fingerprint,
        state: 'pending',
        attempts: 1,
        reason: 'ServiceUnavailable',
        history: [
          {
            at: new Date('2030-01-01T00:00:00Z'),
            reason: 'ServiceUnavailable',
            next: new Date('2030-01-01T00:00:02Z'),
          },
        ],
        dueAt: new Date('2030-01-01T00:00:02Z'),
        endedAt: null,
      },
      expect.objectContaining({
        deviceId: other.id,
        state: 'dead_token',
        reason: 'UNREGISTERED',
        history: [],
        dueAt: null,
        endedAt: expect.any(Date),
      }),
    ]);
    expect(JSON.stringify(found)).not.toContain(device.token);
  });

  it('lists the newest of an account first, and no more than asked for', async () => {
    const { id: userId } = await world.addPerson();
    const ids = [
      await world.addNotification(userId, { acceptedAt: new Date(1000) }),
      await world.addNotification(userId, { acceptedAt: new Date(2000) }),
      await world.addNotification(userId, { acceptedAt: new Date(3000) }),
    ];
    const found = await find({ userId }, 2);
    expect(found.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  });

  it('finds what went to a device, and leaves out the account’s other devices', async () => {
    const { id: userId } = await world.addPerson();
    const [mine, other] = [await world.addDevice(userId), await world.addDevice(userId)];
    const both = await world.addNotification(userId);
    await world.addDelivery(both, mine);
    await world.addDelivery(both, other);
    const othersOnly = await world.addNotification(userId);
    await world.addDelivery(othersOnly, other);

    const found = await find({ deviceId: mine.id }, 10);

    expect(found.map(({ id }) => id)).toEqual([both]);
    expect(found[0]?.deliveries.map(({ deviceId }) => deviceId)).toEqual([mine.id]);
    expect(found[0]?.states).toEqual({ pending: 2 });
  });

  it('finds a token by its fingerprint, under the id that it had before as well', async () => {
    const { id: userId } = await world.addPerson();
    const now = await world.addDevice(userId);
    const before = { ...now, id: now.id + 100_000 };
    const [old, recent] = [
      await world.addNotification(userId, { acceptedAt: new Date(1000) }),
      await world.addNotification(userId),
    ];
    await world.addDelivery(old, before, { state: 'delivered' });
    await world.addDelivery(recent, now);
    const found = await find({ fingerprint: now.fingerprint }, 10);
    expect(found.map(({ id }) => id)).toEqual([recent, old]);
  });

  it('finds what went to a device that is gone', async () => {
    const { id: userId } = await world.addPerson();
    const gone = { ...(await world.addDevice(userId)) };
    const id = await world.addNotification(userId);
    await world.addDelivery(id, gone, { state: 'dead_token' });
    await world.database.prisma.pushDevice.delete({ where: { id: gone.id } });
    for (const query of [{ deviceId: gone.id }, { fingerprint: gone.fingerprint }]) {
      const found = await find(query, 10);
      expect(found.map((one) => one.id)).toEqual([id]);
      expect(found[0]?.deliveries[0]).toMatchObject({ appId: null, fingerprint: gone.fingerprint });
    }
  });

  it('finds nothing where nothing is known', async () => {
    expect(await find({ notificationId: randomUUID() }, 10)).toEqual([]);
    expect(await find({ deviceId: 2_000_000_000 }, 10)).toEqual([]);
    expect(await find({ fingerprint: '000000000000' }, 10)).toEqual([]);
  });
});

describe('dead letters', () => {
  const deliveryOf = (notificationId: string) =>
    world.database.prisma.pushDelivery.findFirstOrThrow({ where: { notificationId } });

  it('are counted by reason and listed, the newest first', async () => {
    const first = await world.addDeadLetter(device, 'CountedOnce');
    const second = await world.addDeadLetter(device, 'CountedTwice');
    const third = await world.addDeadLetter(device, 'CountedTwice');
    const sut = world.operator.get(DeadLetters);
    const counts = (await sut.countByReason()).map(({ reason, letters }) => [reason, letters]);
    expect(counts).toEqual(
      expect.arrayContaining([
        ['CountedOnce', 1],
        ['CountedTwice', 2],
      ]),
    );
    const listed = (await sut.list({ limit: 3 })).map(({ notificationId }) => notificationId);
    expect(listed).toEqual([third, second, first]);
    expect(await sut.list({ reason: 'CountedOnce', limit: 3 })).toEqual([
      expect.objectContaining({
        id: `${first}/${device.id}`,
        platform: 'apns',
        kind: 'test',
        fingerprint: device.fingerprint,
        payload: { aps: { alert: 17 } },
      }),
    ]);
  });

  it('become deliveries again, due now and with all attempts before them', async () => {
    const before = await waiting('push-apns');
    const id = await world.addDeadLetter(device);
    await world.database.prisma.pushNotification.updateMany({
      where: { id },
      data: { expiresAt: new Date(Date.now() - 100_000) },
    });
    const requeue = world.operator.get(RequeueDeadLetters);

    expect(await requeue.execute({ ids: [{ notificationId: id, deviceId: device.id }] })).toBe(1);

    const delivery = await deliveryOf(id);
    expect(delivery).toMatchObject({ state: 'pending', attempts: 0, reason: null });
    // That it was refused before is a part of what happened to it.
    expect(delivery.history).toEqual([
      { at: expect.any(String), reason: expect.stringMatching(/./), next: expect.any(String) },
    ]);
    expect(delivery.dueAt.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
    // An hour again, as it was at first.
    const { expiresAt } = await world.database.prisma.pushNotification.findFirstOrThrow({
      where: { id },
    });
    const lifeMs = expiresAt.getTime() - Date.now();
    expect(lifeMs).toBeGreaterThan(3_500_000);
    expect(lifeMs).toBeLessThanOrEqual(3_600_000);
    expect(
      await world.database.prisma.pushDeadLetter.count({ where: { notificationId: id } }),
    ).toBe(0);
    expect(await waiting('push-apns')).toBe(before + 1);
  });

  it('are requeued by reason, however many there are, and others are left', async () => {
    const ours = [
      await world.addDeadLetter(device, 'BadTopic'),
      await world.addDeadLetter(device, 'BadTopic'),
    ];
    const other = await world.addDeadLetter(device, 'BadPath');
    const requeue = world.operator.get(RequeueDeadLetters);
    expect(await requeue.execute({ reason: 'BadTopic' })).toBe(2);
    expect(await requeue.execute({ reason: 'BadTopic' })).toBe(0);
    for (const id of ours) expect((await deliveryOf(id)).state).toBe('pending');
    expect((await deliveryOf(other)).state).toBe('rejected');
  });

  it('are each requeued once by two operators at the same time', async () => {
    await world.addDeadLetter(device, 'Twice');
    await world.addDeadLetter(device, 'Twice');
    const requeue = world.operator.get(RequeueDeadLetters);
    const counts = await Promise.all([
      requeue.execute({ reason: 'Twice' }),
      requeue.execute({ reason: 'Twice' }),
    ]);
    expect(counts[0] + counts[1]).toBe(2);
  });

  it('come back from their own copy when the ledger has forgotten their notification', async () => {
    const { id: userId } = await world.addPerson();
    const [mine, other] = [await world.addDevice(userId), await world.addDevice(userId)];
    const id = await world.addDeadLetter(mine, 'Forgotten');
    await world.addDeadLetter(other, 'Forgotten', id);
    const { prisma } = world.database;
    const { content } = await prisma.pushNotification.findFirstOrThrow({ where: { id } });
    await prisma.pushNotification.deleteMany({ where: { id } });
    await prisma.pushDelivery.deleteMany({ where: { notificationId: id } });
    const requeue = world.operator.get(RequeueDeadLetters);
    // Two operators at once restore the notification once.
    const counts = await Promise.all(
      [mine, other].map(({ id: deviceId }) =>
        requeue.execute({ ids: [{ notificationId: id, deviceId }] }),
      ),
    );
    expect(counts).toEqual([1, 1]);

    const restored = await prisma.pushNotification.findMany({ where: { id } });
    expect(restored).toEqual([
      expect.objectContaining({ userId, realmId: world.realm.id, kind: 'test', content }),
    ]);
    const lifeMs = (restored[0]?.expiresAt.getTime() ?? 0) - Date.now();
    expect(lifeMs).toBeGreaterThan(3_500_000);
    expect(lifeMs).toBeLessThanOrEqual(3_600_000);
    const deliveries = await prisma.pushDelivery.findMany({ where: { notificationId: id } });
    expect(deliveries.map(({ deviceId }) => deviceId).toSorted()).toEqual(
      [mine.id, other.id].toSorted(),
    );
    for (const delivery of deliveries) {
      expect(delivery).toMatchObject({ state: 'pending', attempts: 0, realmId: world.realm.id });
      expect(delivery.history).toEqual([expect.objectContaining({ reason: 'Forgotten' })]);
    }
    expect(await prisma.pushDeadLetter.count({ where: { notificationId: id } })).toBe(0);
  });

  it('stay without a copy of their notification', async () => {
    const id = await world.addDeadLetter(device, 'WithoutCopy');
    const { prisma } = world.database;
    await prisma.$executeRaw`UPDATE push_dead_letters SET content = NULL WHERE reason = 'WithoutCopy'`;
    await prisma.pushNotification.deleteMany({ where: { id } });
    expect(await world.operator.get(RequeueDeadLetters).execute({ reason: 'WithoutCopy' })).toBe(0);
    expect(await prisma.pushDeadLetter.count({ where: { notificationId: id } })).toBe(1);
  });

  it('are dismissed, and the ledger still says that they were refused', async () => {
    const id = await world.addDeadLetter(device, 'Dismissed');
    const dismiss = world.operator.get(DismissDeadLetters);
    expect(await dismiss.execute({ ids: [{ notificationId: id, deviceId: null }] })).toBe(1);
    expect(await world.operator.get(DeadLetters).list({ reason: 'Dismissed', limit: 1 })).toEqual(
      [],
    );
    expect((await deliveryOf(id)).state).toBe('rejected');
  });
});

describe(PausePlatform.name, () => {
  it('holds up one platform and not the other, until it is resumed', async () => {
    const paused = world.operator.get(ListPausedPlatforms);
    expect(await paused.execute()).toEqual([]);
    await world.operator.get(PausePlatform).execute('apns');
    await world.operator.get(PausePlatform).execute('apns');
    expect(await paused.execute()).toEqual(['apns']);
    await world.operator.get(ResumePlatform).execute('apns');
    expect(await paused.execute()).toEqual([]);
  });

  it('still accepts what waits', async () => {
    await world.operator.get(PausePlatform).execute('apns');
    const before = await waiting('push-apns');
    await world.operator.get(SendTestTo).execute(device.userId, device.id);
    expect(await waiting('push-apns')).toBe(before + 1);
    await world.operator.get(ResumePlatform).execute('apns');
    expect(await waiting('push-apns')).toBe(before + 1);
  });
});

describe(SendTestTo.name, () => {
  it('goes to all devices of an account, or to the one that is named', async () => {
    const { id: userId } = await world.addPerson();
    const [one, two] = [await world.addDevice(userId), await world.addDevice(userId, 'apns')];
    const sut = world.operator.get(SendTestTo);
    const all = await sut.execute(userId);
    expect(all?.deviceIds.toSorted((a, b) => a - b)).toEqual([one.id, two.id]);
    expect((await sut.execute(userId, two.id))?.deviceIds).toEqual([two.id]);
    const deliveries = await deliveriesTo(world.database.prisma, userId);
    expect(deliveries.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
  });

  it('goes to no device that is not the account’s', async () => {
    const { id: userId } = await world.addPerson();
    const sut = world.operator.get(SendTestTo);
    expect(await sut.execute(userId)).toBeNull();
    expect(await sut.execute(userId, device.id)).toBeNull();
    expect(await sut.execute(2_000_000_000)).toBeNull();
  });
});
