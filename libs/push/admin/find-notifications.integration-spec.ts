import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { PushLedgerService } from './push-ledger.service.js';
import { type WorldDevice, useOperatedWorld } from '#test/push-operate-world';
import { useFixture } from '#test/use-fixture';

const world = useOperatedWorld();
const device = useFixture(async () => world.addDevice((await world.addPerson()).id, 'apns'));

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

describe('finding notifications of pages', () => {
  const PAGE_ID = '0198c3a1-7b2c-7def-8123-456789ab0000';
  const find = (...args: Parameters<PushLedgerService['findNotifications']>) =>
    world.operator.get(PushLedgerService).findNotifications(...args);
  let phones: readonly WorldDevice[];
  let owners: readonly number[];

  /** Two phones of a person, then one each of two others. */
  beforeAll(async () => {
    const people = [await world.addPerson(), await world.addPerson(), await world.addPerson()];
    const [first = 0, second = 0, third = 0] = people.map(({ id }) => id);
    owners = [first, first, second, third];
    phones = await Promise.all(owners.map((userId) => world.addDevice(userId)));
    await world.database.prisma.pushPage.create({
      data: {
        id: PAGE_ID,
        realmId: world.realm.id,
        platform: 'fcm',
        content: { kind: 'message', messageId: 77, trigger: 'channel' },
        expiresAt: new Date(Date.now() + 60_000),
        userIds: [...owners],
        deviceIds: phones.map(({ id }) => id),
        states: 'dowp',
        isClaimed: true,
      },
    });
    const [, own] = phones;
    if (own === undefined) throw new Error('There is no second phone.');
    const id = idAt(1);
    await world.addNotification(first, {
      id,
      kind: 'message',
      content: { kind: 'message', messageId: 77, trigger: 'channel' },
    });
    await world.addDelivery(id, own, { state: 'rejected', attempts: 1, reason: 'BadTopic' });
  });

  const idAt = (place: number) => PAGE_ID.slice(0, -1) + String(place);

  it('finds a delivery by its account, message, notification and device', async () => {
    const userId = owners[2] ?? 0;
    const deviceId = phones[2]?.id ?? 0;
    const queries = [
      { userId },
      { userId, messageId: 77 },
      { notificationId: idAt(3) },
      { deviceId },
    ];
    for (const query of queries) {
      const [found, ...others] = await find(query, 10);
      expect(others).toEqual([]);
      expect(found).toMatchObject({
        id: idAt(3),
        kind: 'message',
        userId,
        messageIds: [77],
        states: { withdrawn: 1 },
        deliveries: [{ deviceId, state: 'withdrawn', attempts: 0, endedAt: expect.any(Date) }],
      });
    }
    expect(await find({ userId, messageId: 78 }, 10)).toEqual([]);
  });

  it('shows a delivery with a row of its own once, beside those of the page', async () => {
    for (const query of [{ userId: owners[0] ?? 0 }, { notificationId: idAt(1) }]) {
      const found = await find(query, 10);
      expect(found).toMatchObject([
        {
          id: idAt(1),
          states: { delivered: 1, rejected: 1 },
          deliveries: [
            { deviceId: phones[0]?.id, state: 'delivered', fingerprint: phones[0]?.fingerprint },
            { deviceId: phones[1]?.id, state: 'rejected', reason: 'BadTopic' },
          ],
        },
      ]);
    }
  });

  it('shows when a pending one is due', async () => {
    const [found] = await find({ notificationId: idAt(4) }, 10);
    expect(found?.deliveries).toMatchObject([{ state: 'pending', dueAt: expect.any(Date) }]);
  });

  it('finds a delivery to a removed device', async () => {
    const deviceId = phones[3]?.id ?? 0;
    await world.database.prisma.pushDevice.delete({ where: { id: deviceId } });
    expect(await find({ deviceId }, 10)).toMatchObject([
      { id: idAt(4), deliveries: [{ deviceId, state: 'pending' }] },
    ]);
  });

  it('finds nothing at a place that the page does not have', async () => {
    expect(await find({ notificationId: idAt(9) }, 10)).toEqual([]);
    expect(await find({ notificationId: PAGE_ID }, 10)).toEqual([]);
  });
});
