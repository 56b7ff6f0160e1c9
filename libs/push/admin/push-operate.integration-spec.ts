import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { JobQueues } from '#platform/queue';
import { PlatformPauses, PushLedgerService, PushOperatorService } from '#push/admin';
import { deliveriesTo } from '#test/push-ledger';
import { OperatedWorld, type WorldDevice } from '#test/push-operate-world';

let world: OperatedWorld;
let device: WorldDevice;

beforeAll(async () => {
  world = await OperatedWorld.start();
  device = await world.addDevice((await world.addPerson()).id, 'apns');
});
afterAll(() => world.stop());

const waiting = async (queue: 'push-apns' | 'push-fcm') =>
  (await world.operator.get(JobQueues, { strict: false }).counts(queue)).waiting;

describe('finding notifications', () => {
  const find = (...args: Parameters<PushLedgerService['findNotifications']>) =>
    world.operator.get(PushLedgerService).findNotifications(...args);

  it('has the state of each delivery and its failed attempts', async () => {
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

  it('lists the newest notifications of an account first, up to the limit', async () => {
    const { id: userId } = await world.addPerson();
    const ids = [
      await world.addNotification(userId, { acceptedAt: new Date(1000) }),
      await world.addNotification(userId, { acceptedAt: new Date(2000) }),
      await world.addNotification(userId, { acceptedAt: new Date(3000) }),
    ];
    const found = await find({ userId }, 2);
    expect(found.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  });

  it('finds the notifications to a device without those to other devices', async () => {
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

  it('finds a token by its fingerprint, also under its earlier device id', async () => {
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

  it('finds the notifications to a removed device', async () => {
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

  it('finds nothing for unknown ids', async () => {
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
    const sut = world.operator.get(PushLedgerService);
    const counts = (await sut.countDeadLetters()).map(({ reason, letters }) => [reason, letters]);
    expect(counts).toEqual(
      expect.arrayContaining([
        ['CountedOnce', 1],
        ['CountedTwice', 2],
      ]),
    );
    const listed = (await sut.listDeadLetters({ limit: 3 })).map(
      ({ notificationId }) => notificationId,
    );
    expect(listed).toEqual([third, second, first]);
    expect(await sut.listDeadLetters({ reason: 'CountedOnce', limit: 3 })).toEqual([
      expect.objectContaining({
        id: `${first}/${device.id}`,
        platform: 'apns',
        kind: 'test',
        fingerprint: device.fingerprint,
        payload: { aps: { alert: 17 } },
      }),
    ]);
  });

  it('become pending deliveries again, due now, with their history', async () => {
    const before = await waiting('push-apns');
    const id = await world.addDeadLetter(device);
    await world.database.prisma.pushNotification.updateMany({
      where: { id },
      data: { expiresAt: new Date(Date.now() - 100_000) },
    });
    const operator = world.operator.get(PushOperatorService);

    expect(
      await operator.requeueDeadLetters({ ids: [{ notificationId: id, deviceId: device.id }] }),
    ).toBe(1);

    const delivery = await deliveryOf(id);
    expect(delivery).toMatchObject({ state: 'pending', attempts: 0, reason: null });
    // The history includes that it was refused before.
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

  it('are requeued by reason in any number, without others', async () => {
    const ours = [
      await world.addDeadLetter(device, 'BadTopic'),
      await world.addDeadLetter(device, 'BadTopic'),
    ];
    const other = await world.addDeadLetter(device, 'BadPath');
    const operator = world.operator.get(PushOperatorService);
    expect(await operator.requeueDeadLetters({ reason: 'BadTopic' })).toBe(2);
    expect(await operator.requeueDeadLetters({ reason: 'BadTopic' })).toBe(0);
    for (const id of ours) expect((await deliveryOf(id)).state).toBe('pending');
    expect((await deliveryOf(other)).state).toBe('rejected');
  });

  it('are requeued once by two concurrent operators', async () => {
    await world.addDeadLetter(device, 'Twice');
    await world.addDeadLetter(device, 'Twice');
    const operator = world.operator.get(PushOperatorService);
    const counts = await Promise.all([
      operator.requeueDeadLetters({ reason: 'Twice' }),
      operator.requeueDeadLetters({ reason: 'Twice' }),
    ]);
    expect(counts[0] + counts[1]).toBe(2);
  });

  it('are restored from their copy after the ledger has removed their notification', async () => {
    const { id: userId } = await world.addPerson();
    const [mine, other] = [await world.addDevice(userId), await world.addDevice(userId)];
    const id = await world.addDeadLetter(mine, 'Forgotten');
    await world.addDeadLetter(other, 'Forgotten', id);
    const { prisma } = world.database;
    const { content } = await prisma.pushNotification.findFirstOrThrow({ where: { id } });
    await prisma.pushNotification.deleteMany({ where: { id } });
    await prisma.pushDelivery.deleteMany({ where: { notificationId: id } });
    const operator = world.operator.get(PushOperatorService);
    // Two operators at once restore the notification once.
    const counts = await Promise.all(
      [mine, other].map(({ id: deviceId }) =>
        operator.requeueDeadLetters({ ids: [{ notificationId: id, deviceId }] }),
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
    expect(
      await world.operator.get(PushOperatorService).requeueDeadLetters({ reason: 'WithoutCopy' }),
    ).toBe(0);
    expect(await prisma.pushDeadLetter.count({ where: { notificationId: id } })).toBe(1);
  });

  it('are dismissed, and their deliveries stay rejected', async () => {
    const id = await world.addDeadLetter(device, 'Dismissed');
    const ledger = world.operator.get(PushLedgerService);
    expect(await ledger.dismissDeadLetters({ ids: [{ notificationId: id, deviceId: null }] })).toBe(
      1,
    );
    expect(await ledger.listDeadLetters({ reason: 'Dismissed', limit: 1 })).toEqual([]);
    expect((await deliveryOf(id)).state).toBe('rejected');
  });
});

describe('pausing a platform', () => {
  it('stops one platform and not the other, until it is resumed', async () => {
    const sut = world.operator.get(PlatformPauses);
    expect(await sut.pausedPlatforms()).toEqual([]);
    await world.operator.get(PlatformPauses).pause('apns');
    await world.operator.get(PlatformPauses).pause('apns');
    expect(await sut.pausedPlatforms()).toEqual(['apns']);
    await world.operator.get(PlatformPauses).resume('apns');
    expect(await sut.pausedPlatforms()).toEqual([]);
  });

  it('does not stop the acceptance', async () => {
    await world.operator.get(PlatformPauses).pause('apns');
    const before = await waiting('push-apns');
    await world.operator.get(PushOperatorService).sendTest(device.userId, device.id);
    expect(await waiting('push-apns')).toBe(before + 1);
    await world.operator.get(PlatformPauses).resume('apns');
    expect(await waiting('push-apns')).toBe(before + 1);
  });
});

describe('sending a test', () => {
  it('reaches all devices of an account, or the given one', async () => {
    const { id: userId } = await world.addPerson();
    const [one, two] = [await world.addDevice(userId), await world.addDevice(userId, 'apns')];
    const sut = world.operator.get(PushOperatorService);
    const all = await sut.sendTest(userId);
    expect(all?.deviceIds.toSorted((a, b) => a - b)).toEqual([one.id, two.id]);
    expect((await sut.sendTest(userId, two.id))?.deviceIds).toEqual([two.id]);
    const deliveries = await deliveriesTo(world.database.prisma, userId);
    expect(deliveries.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
  });

  it('reaches no device of another account', async () => {
    const { id: userId } = await world.addPerson();
    const sut = world.operator.get(PushOperatorService);
    expect(await sut.sendTest(userId)).toBeNull();
    expect(await sut.sendTest(userId, device.id)).toBeNull();
    expect(await sut.sendTest(2_000_000_000)).toBeNull();
  });
});
