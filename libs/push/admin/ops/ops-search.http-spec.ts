import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { OpsApp } from '#test/ops-app';
import { useFixture } from '#test/use-fixture';

describe('the search of the ops page', () => {
  const sut = useFixture(() => OpsApp.start());
  const phone = useFixture(() => sut.addPhone('Mara@example.org'));
  let notificationId: string;

  beforeAll(async () => {
    const earlier = await sut.world.addNotification(phone.userId, { acceptedAt: new Date(1000) });
    await sut.world.addDelivery(earlier, phone);
    notificationId = await sut.world.addNotification(phone.userId, { kind: 'remove' });
    await sut.world.database.prisma.pushReceipt.create({
      data: {
        notificationId,
        deviceId: 0,
        acceptedAt: new Date(),
        receivedAt: new Date(Date.UTC(2026, 1, 3)),
      },
    });
    await sut.world.addDelivery(notificationId, phone, {
      attempts: 1,
      dueAt: new Date(Date.now() + 3_600_000),
      history: [{ at: '2026-02-03T04:05:06.000Z', reason: 'TooManyRequests', next: null }],
    });
  });

  const idsFor = async (query: string): Promise<string[]> => {
    const { body } = await sut.get(`/ops/api/notifications?${query}`);
    return (body['notifications'] as { id: string }[]).map(({ id }) => id);
  };

  it('shows the history of a notification, in UNIX milliseconds', async () => {
    const { body } = await sut.get(`/ops/api/notifications?notification=${notificationId}`);
    expect(body).toEqual({
      notifications: [
        {
          id: notificationId,
          kind: 'remove',
          userId: phone.userId,
          messageIds: [],
          acceptedAt: expect.any(Number),
          expiresAt: expect.any(Number),
          receipts: [
            {
              deviceId: null,
              receivedAt: Date.UTC(2026, 1, 3),
              displayedAt: null,
              openedAt: null,
              dismissedAt: null,
            },
          ],
          states: { pending: 1 },
          deliveries: [
            {
              deviceId: phone.id,
              platform: 'apns',
              appId: 'org.carillon.demo',
              fingerprint: phone.fingerprint,
              state: 'pending',
              attempts: 1,
              reason: null,
              history: [
                { at: Date.UTC(2026, 1, 3, 4, 5, 6), reason: 'TooManyRequests', next: null },
              ],
              dueAt: expect.any(Number),
              endedAt: null,
            },
          ],
        },
      ],
    });
  });

  it('finds it by account, address, device and fingerprint', async () => {
    expect(await idsFor(`user=${phone.userId}`)).toContain(notificationId);
    expect(await idsFor('email=mara@EXAMPLE.org&realm=chat')).toContain(notificationId);
    expect(await idsFor(`device=${phone.id}`)).toContain(notificationId);
    expect(await idsFor(`fingerprint=${phone.fingerprint.toUpperCase()}`)).toContain(
      notificationId,
    );
    expect(await idsFor(`user=${phone.userId}`)).toHaveLength(2);
    expect(await idsFor(`user=${phone.userId}&limit=1`)).toHaveLength(1);
    expect(await idsFor(`notification=${randomUUID()}`)).toEqual([]);
  });

  it.each([
    ['', 'expected exactly one of notification, user, device, fingerprint, message, email'],
    ['message=5', 'of'],
    ['message=0&of=1', 'message: expected the number of a message'],
    ['user=1&device=2', 'expected exactly one of'],
    ['notification=17', 'notification: expected the id of a notification'],
    ['user=-1', 'user: expected the number of an account'],
    ['user=99999999999', 'user: expected the number of an account'],
    ['device=2147483648', 'device: expected the number of a device'],
    ['fingerprint=abc', 'fingerprint: expected the first 12 hexadecimal digits'],
    ['email=', 'email'],
    ['user=1&user=2', 'user: is given twice'],
    ['user=1&limit=101', 'limit: expected a number from 1 to 100'],
    ['user=1&color=red', 'color'],
  ])('rejects "%s" with the reason', async (query, message) => {
    const { status, body } = await sut.get(`/ops/api/notifications?${query}`);
    expect(status).toBe(400);
    expect(body['error']).toMatch(message);
  });

  it('explains why an account was not notified of a message', async () => {
    const asked = [`of=${phone.userId}`, 'of=mara@example.org&realm=chat'];
    for (const of of asked) {
      const { body } = await sut.get(`/ops/api/notifications?message=9007199254740991&${of}`);
      expect(body).toEqual({
        explanation: { reason: 'no_message', text: expect.any(String), rules: [] },
        notifications: [],
      });
    }
  });

  it.each([
    ['message=5&of=4294967296', 'no account 4294967296'],
    ['email=mara@example.org&realm=nowhere', 'no organisation with the subdomain "nowhere"'],
    ['email=nobody@example.org&realm=chat', 'Chat has no account "nobody@example.org"'],
  ])('answers 404 for an unknown %s', async (query, message) => {
    const { status, body } = await sut.get(`/ops/api/notifications?${query}`);
    expect(status).toBe(404);
    expect(body['error']).toMatch(message);
  });
});
