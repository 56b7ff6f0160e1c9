import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ReceiptRepository } from './receipts.repository.js';
import { LEAST_PAGE, notificationIdAt } from '#push/notifications';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import { NotifiedPeople } from '#test/message-notifications-world';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add());

const prisma = () => system.database.database.prisma;
const now = () => Date.now() / 1000;

const tell = ({ api }: Person, receipts: unknown, more = {}) =>
  api.post('/mobile_push/receipts', { receipts, ...more });

/** A person who was notified of a message, and the notification. */
async function notified() {
  const person = await people.add();
  const messageId = Number((await sendToPeople(sender, [person])).body['id']);
  const { id, acceptedAt } = await prisma().pushNotification.findFirstOrThrow({
    where: { userId: person.id },
  });
  return { person, messageId, id, acceptedAt: acceptedAt.getTime() };
}

const stored = (id: string) => prisma().pushReceipt.findMany({ where: { notificationId: id } });
const counts = (accepted: number, ignored: number) => ({
  status: 200,
  body: { result: 'success', accepted, ignored },
});

describe('POST /mobile_push/receipts', () => {
  it('stores the first receipt of each event, by the notification or its message', async () => {
    const { person, messageId, id, acceptedAt } = await notified();
    const at = (seconds: number) => acceptedAt / 1000 + seconds;
    const given = [
      { notification_id: id, event: 'received', time: at(0.25) },
      { message_id: messageId, event: 'displayed', time: at(0.5) },
      { message_id: messageId, event: 'displayed', time: at(2) },
    ];
    expect(await tell(person, given)).toMatchObject(counts(3, 0));
    const later = [
      { notification_id: id, event: 'received', time: at(7) },
      { notification_id: id, event: 'opened', time: at(8) },
    ];
    expect(await tell(person, later)).toMatchObject(counts(2, 0));
    expect(await stored(id)).toEqual([
      {
        notificationId: id,
        deviceId: 0,
        acceptedAt: new Date(acceptedAt),
        receivedAt: new Date(acceptedAt + 250),
        displayedAt: new Date(acceptedAt + 500),
        openedAt: new Date(acceptedAt + 8000),
        dismissedAt: null,
      },
    ]);
  });

  it('finds a notification that shares a row with those of others', async () => {
    const crowd: Person[] = [];
    while (crowd.length <= LEAST_PAGE) crowd.push(await people.add({ isPushedChannels: true }));
    const channel = await people.mail.addChannel([sender, ...crowd]);
    const messageId = Number((await sendToChannel(sender, channel, 'soup')).body['id']);
    const person = crowd[1] ?? sender;
    const page = await prisma().pushPage.findFirstOrThrow({
      where: { userIds: { has: person.id } },
    });
    const idOf = ({ id }: Person) => notificationIdAt(page.id, page.userIds.indexOf(id) + 1);
    const given = [
      { notification_id: idOf(person), event: 'received', time: now() },
      { message_id: messageId, event: 'opened', time: now() },
      { notification_id: idOf(crowd[0] ?? sender), event: 'opened', time: now() },
    ];
    expect(await tell(person, given)).toMatchObject(counts(2, 1));
    expect(await stored(idOf(person))).toMatchObject([
      { receivedAt: expect.any(Date), openedAt: expect.any(Date) },
    ]);
  });

  it('keeps the receipts of devices apart, and takes none of a foreign device', async () => {
    const { person, id } = await notified();
    const [device, foreign] = [
      await prisma().pushDevice.findFirstOrThrow({ where: { userId: person.id } }),
      await prisma().pushDevice.findFirstOrThrow({ where: { userId: sender.id } }),
    ];
    const given = [{ notification_id: id, event: 'opened', time: now() }];
    expect(await tell(person, given, { device_id: device.id })).toMatchObject(counts(1, 0));
    expect(await tell(person, given)).toMatchObject(counts(1, 0));
    expect(await tell(person, given, { device_id: foreign.id })).toMatchObject(counts(0, 1));
    const devices = (await stored(id)).map(({ deviceId }) => deviceId);
    expect(devices.toSorted((one, other) => one - other)).toEqual([0, device.id]);
  });

  it('takes none of a device whose id is beyond those of devices', async () => {
    const { person, id } = await notified();
    const given = [{ notification_id: id, event: 'opened', time: now() }];
    for (const device_id of [2_147_483_648, Number.MAX_SAFE_INTEGER]) {
      expect(await tell(person, given, { device_id })).toMatchObject(counts(0, 1));
    }
    expect(await stored(id)).toEqual([]);
  });

  it('tells requests of the same moment apart', async () => {
    const [one, other] = [await notified(), await notified()];
    const device = await prisma().pushDevice.findFirstOrThrow({ where: { userId: one.person.id } });
    const own = { notification_id: one.id, event: 'opened', time: now() };
    const foreign = { notification_id: other.id, event: 'opened', time: now() };
    const byMessage = { message_id: other.messageId, event: 'received', time: now() };
    expect(
      await Promise.all([
        tell(one.person, [own, foreign, byMessage], { device_id: device.id }),
        tell(other.person, [own, foreign, byMessage], { device_id: device.id }),
        tell(other.person, [own, byMessage]),
        tell(one.person, [own]),
      ]),
    ).toMatchObject([counts(1, 2), counts(0, 3), counts(1, 1), counts(1, 0)]);
    expect(await stored(one.id)).toHaveLength(2);
    expect(await stored(other.id)).toMatchObject([{ openedAt: null }]);
  });

  it('ignores those about unknown and foreign notifications, and does not say which', async () => {
    const { id, messageId } = await notified();
    const given = [
      { notification_id: id, event: 'opened', time: now() },
      { message_id: messageId, event: 'opened', time: now() },
      { notification_id: randomUUID(), event: 'opened', time: now() },
      { message_id: Number.MAX_SAFE_INTEGER, event: 'opened', time: now() },
    ];
    expect(await tell(await people.add(), given)).toMatchObject(counts(0, 4));
    expect(await stored(id)).toEqual([]);
  });

  it('believes no time before the acceptance or far ahead', async () => {
    const { person, id, acceptedAt } = await notified();
    const given = [
      { notification_id: id, event: 'received', time: 0 },
      { notification_id: id, event: 'opened', time: 253_402_300_799 },
    ];
    await tell(person, given);
    const [receipt] = await stored(id);
    expect(receipt?.receivedAt?.getTime()).toBe(acceptedAt);
    expect(receipt?.openedAt?.getTime()).toBeLessThan(Date.now() + 120_000);
  });

  it.each([
    ['no list', {}],
    ['neither id', [{ event: 'opened', time: 1 }]],
    ['both ids', [{ notification_id: randomUUID(), message_id: 1, event: 'opened', time: 1 }]],
    ['an unknown event', [{ message_id: 1, event: 'seen', time: 1 }]],
    ['no time', [{ message_id: 1, event: 'opened' }]],
    ['too many', Array.from({ length: 101 }, () => ({ message_id: 1, event: 'opened', time: 1 }))],
  ])('refuses %s', async (_, receipts) => {
    expect(await tell(sender, receipts)).toMatchObject({ status: 400 });
  });

  it('is forgotten with its notification', async () => {
    const [old, young] = [await notified(), await notified()];
    for (const { person, id } of [old, young]) {
      await tell(person, [{ notification_id: id, event: 'opened', time: now() }]);
    }
    await prisma().pushReceipt.updateMany({
      where: { notificationId: old.id },
      data: { acceptedAt: new Date(0) },
    });
    await new ReceiptRepository(system.database.database).forget(86_400_000, 100);
    expect(await stored(old.id)).toEqual([]);
    expect(await stored(young.id)).toHaveLength(1);
  });
});

describe('The limit of receipts', () => {
  const limited = useGateway({ RATE_LIMIT_RECEIPTS: '61:3', RATE_LIMIT_USER: '63:2' });

  it('holds for the requests of an account, which do not count as calls', async () => {
    const [alice, other] = [limited.api('alice'), limited.api('guest')];
    const send = (receipts: unknown = []) => alice.post('/mobile_push/receipts', { receipts });
    for (let call = 0; call < 3; call += 1) expect(await send()).toMatchObject(counts(0, 0));
    expect(await send()).toMatchObject({ status: 429, body: { code: 'RATE_LIMIT_HIT' } });
    expect((await other.post('/mobile_push/receipts', { receipts: [] })).status).toBe(200);
    expect((await alice.get('/users/me')).status).toBe(200);
  });

  it('does not hold for refused requests, which count as calls', async () => {
    const admin = limited.api('admin');
    const send = (receipts: unknown) => admin.post('/mobile_push/receipts', { receipts });
    expect((await send('nonsense')).status).toBe(400);
    expect((await send('nonsense')).status).toBe(400);
    expect((await send('nonsense')).status).toBe(429);
    expect((await send([])).status).toBe(200);
  });
});
