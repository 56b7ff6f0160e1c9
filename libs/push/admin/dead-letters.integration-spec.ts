import { describe, expect, it } from '@jest/globals';
import { JobQueues } from '#platform/queue';
import { PushLedgerService } from './push-ledger.service.js';
import { PushOperatorService } from './push-operator.service.js';
import { type WorldDevice, useOperatedWorld } from '#test/push-operate-world';
import { useFixture } from '#test/use-fixture';

const world = useOperatedWorld();
const device = useFixture(async () => world.addDevice((await world.addPerson()).id, 'apns'));

const waitingForApple = async () =>
  (await world.operator.get(JobQueues, { strict: false }).counts('push-apns')).waiting;

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
    const before = await waitingForApple();
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
    expect(await waitingForApple()).toBe(before + 1);
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

  it('are accepted with their notification if that was restored earlier', async () => {
    const { id: userId } = await world.addPerson();
    const [mine, other] = [await world.addDevice(userId), await world.addDevice(userId)];
    const id = await world.addDeadLetter(mine, 'InPages');
    await world.addDeadLetter(other, 'InPages', id);
    const { prisma } = world.database;
    await prisma.pushNotification.deleteMany({ where: { id } });
    await prisma.pushDelivery.deleteMany({ where: { notificationId: id } });
    const requeue = ({ id: deviceId }: WorldDevice) =>
      world.operator
        .get(PushOperatorService)
        .requeueDeadLetters({ ids: [{ notificationId: id, deviceId }] });
    expect(await requeue(mine)).toBe(1);
    const acceptedAt = new Date(Date.now() - 60_000);
    await prisma.pushNotification.updateMany({ where: { id }, data: { acceptedAt } });
    expect(await requeue(other)).toBe(1);
    const where = { notificationId: id, deviceId: other.id };
    expect(await prisma.pushDelivery.findFirst({ where })).toMatchObject({ acceptedAt });
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
