import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { RELAY_TARGETS } from '#push/devices';
import { badRequest, idOf, success } from '#test/answers';
import { eventually } from '#test/eventually';
import { sendToChannel } from '#test/messages-organisation';
import { useGateway } from '#test/start-gateway';
import { connectOnce } from '#test/statement-plans';
import { useFixture } from '#test/use-fixture';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { LEAST_PAGE } from '../pages/page.rules.js';
import { RemindedWorld } from './reminded-world.fixture.js';
import { MAX_WAITING, REMINDED_SECONDS } from './reminders.rules.js';

const system = useGateway();
const world = useFixture(() => RemindedWorld.in(system));

const BOTH = ['apns', 'fcm'];

describe('A reminder', () => {
  it('shows an unread message again on an iPhone, in the place of the first, three times', async () => {
    const reader = await world.reader();
    const messageId = await world.quiet.writeTo(reader);
    const [first] = await world.prisma.pushNotification.findMany({ where: { userId: reader.id } });
    const [planned] = await world.remindersOf(reader);
    const inMs = Number(planned?.dueAt) - Date.now();
    expect(inMs).toBeGreaterThan(3_590_000);
    expect(inMs).toBeLessThan(3_601_000);
    for (const sent of [1, 2]) {
      await world.remind(reader);
      expect(await world.remindersOf(reader)).toMatchObject([
        { messageId: BigInt(messageId), notificationId: first?.id, sent },
      ]);
    }
    await world.remind(reader);
    expect(await world.remindersOf(reader)).toEqual([]);
    const reminder = { messageId, isReminder: true, platforms: ['apns'] };
    expect(await world.notifiedOf(reader)).toEqual([
      { messageId, isReminder: false, platforms: BOTH },
      reminder,
      reminder,
      reminder,
    ]);
  });

  it('is sent to a browser', async () => {
    const reader = await world.reader({ hasIphone: false });
    await world.addBrowser(reader);
    await world.quiet.writeTo(reader);
    await world.remind(reader);
    expect(await world.notifiedOf(reader)).toMatchObject([
      { platforms: ['fcm', 'web'] },
      { platforms: ['web'] },
    ]);
  });

  it('is not planned for an account without the setting, or with Android phones only', async () => {
    const readers = [await world.reader({ seconds: 0 }), await world.reader({ hasIphone: false })];
    for (const reader of readers) {
      await world.quiet.writeTo(reader);
      expect(await world.remindersOf(reader)).toEqual([]);
    }
  });

  it('is not planned for phones of a server that relays: its push service replaces no push', async () => {
    const reader = await world.reader();
    await world.people.wasActive(reader, 1);
    const messageId = await world.quiet.writeTo(reader);
    const candidate = { userId: reader.id, messageId, groupId: null, isCaughtUp: false };
    const options = { timeToLiveMs: 1000, traceParent: null };
    const sut = new MessageNotificationRepository(RELAY_TARGETS);
    // The statements of a relay have the same names.
    const database = connectOnce(system.database.url);
    const { accepted } = await database.transaction((transaction) =>
      sut.decide(transaction, [{ ...candidate, replaces: null }], options),
    );
    await database.onApplicationShutdown();
    expect(accepted).toMatchObject([{ deviceIds: [-reader.id] }]);
    expect(await world.remindersOf(reader)).toEqual([]);
  });

  it('comes for mentions of the reader or a group, and not for other messages of a channel', async () => {
    const reader = await world.reader();
    await world.people.mail.addGroup([reader], { name: 'cooks' });
    const channel = await world.people.mail.addChannel([world.quiet.sender, reader]);
    const ids: number[] = [];
    for (const text of ['soup', '@**all** soup', `@**|${reader.id}** soup`, '@*cooks* soup']) {
      ids.push(idOf(await sendToChannel(world.quiet.sender, channel, text, 'lunch')));
    }
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual(ids.slice(2));
    const all = await world.people.of(reader);
    expect(all.slice(-2).map(({ content }) => content)).toMatchObject([
      { trigger: 'mention' },
      { trigger: 'group_mention', groupId: expect.any(Number) as unknown },
    ]);
  });

  it('leaves the page of a message to many: it takes the place of a notification of its own', async () => {
    const reader = await world.reader();
    const others: (typeof reader)[] = [];
    while (others.length <= LEAST_PAGE) others.push(await world.reader({ seconds: 0 }));
    const { mail } = world.people;
    await mail.addGroup([reader, ...others], { name: 'guests' });
    const channel = await mail.addChannel([world.quiet.sender, reader, ...others]);
    const id = idOf(await sendToChannel(world.quiet.sender, channel, '@*guests* soup', 'lunch'));
    const own = await world.prisma.pushNotification.findMany({ where: { userId: reader.id } });
    expect(await world.remindersOf(reader)).toMatchObject([{ notificationId: own[0]?.id }]);
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual([id]);
  });

  it('follows a notification that came when the reader had left', async () => {
    const reader = await world.reader();
    await world.people.wasActive(reader, 1);
    const id = await world.quiet.writeTo(reader);
    expect(await world.remindersOf(reader)).toEqual([]);
    await world.people.wasActive(reader, 201);
    await world.quiet.makeDue(reader);
    await world.quiet.decideAll();
    expect(await world.remindersOf(reader)).toMatchObject([{ messageId: BigInt(id), sent: 0 }]);
  });

  it('does not come for what was read, deleted, left or muted, or after the setting was turned off', async () => {
    const [reader, other] = [await world.reader(), await world.reader()];
    const { sender } = world.quiet;
    const channel = await world.people.mail.addChannel([sender, reader]);
    const read = await world.quiet.writeTo(reader);
    const deleted = await world.quiet.writeTo(reader);
    await sendToChannel(sender, channel, `@**|${reader.id}**`, 'lunch');
    const kept = await world.quiet.writeTo(reader);
    await world.quiet.writeTo(other);
    await reader.api.post('/messages/flags', { messages: [read], op: 'add', flag: 'read' });
    expect(await sender.api.delete(`/messages/${deleted}`)).toMatchObject(success);
    await reader.api.delete('/users/me/subscriptions', { subscriptions: [channel.name] });
    // Its messages become read after the answer: a reminder would wait for that transaction.
    const where = { userId: reader.id };
    await eventually(async () => expect(await world.prisma.leftChannel.count({ where })).toBe(0));
    await world.quiet.set(other, { push_notifications_reminder_period_seconds: 0 });
    await world.remind(reader);
    await world.remind(other);
    expect(await world.remindedOf(reader)).toEqual([kept]);
    expect(await world.remindedOf(other)).toEqual([]);
    expect(await world.remindersOf(reader)).toMatchObject([{ messageId: BigInt(kept) }]);
    expect(await world.remindersOf(other)).toEqual([]);
  });

  it('does not come for a message of a week ago', async () => {
    const reader = await world.reader();
    const id = await world.quiet.writeTo(reader);
    const sentAt = new Date(Date.now() - REMINDED_SECONDS * 1000);
    await world.prisma.message.update({ where: { id }, data: { sentAt } });
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual([]);
    expect(await world.remindersOf(reader)).toEqual([]);
  });

  it('waits while the reader is at a desk', async () => {
    const reader = await world.reader();
    const id = await world.quiet.writeTo(reader);
    await world.people.wasActive(reader, 100);
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual([]);
    const [waiting] = await world.remindersOf(reader);
    const inMs = Number(waiting?.dueAt) - Date.now();
    expect(inMs).toBeGreaterThan(90_000);
    expect(inMs).toBeLessThan(102_000);
    await world.people.wasActive(reader, 201);
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual([id]);
  });

  it('is held back by quiet hours; then the newest message of each conversation comes', async () => {
    const reader = await world.reader();
    const channel = await world.people.mail.addChannel([world.quiet.sender, reader]);
    await world.quiet.writeTo(reader);
    const direct = await world.quiet.writeTo(reader);
    const text = `@**|${reader.id}**`;
    const mention = idOf(await sendToChannel(world.quiet.sender, channel, text, 'lunch'));
    await world.quiet.beQuiet(reader);
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual([]);
    const held = await world.remindersOf(reader);
    expect(held.map(({ isHeld, sent }) => [isHeld, sent])).toEqual([
      [true, 0],
      [true, 0],
      [true, 0],
    ]);
    await world.quiet.set(reader, { push_quiet_hours: [] });
    await world.worker().remindAll();
    expect(await world.remindedOf(reader)).toEqual([direct, mention]);
    // The others count as shown.
    const next = await world.remindersOf(reader);
    expect(next.map(({ isHeld, sent }) => [isHeld, sent])).toEqual([
      [false, 1],
      [false, 1],
      [false, 1],
    ]);
  });

  it('is tried again when another transaction holds the message', async () => {
    const reader = await world.reader();
    const id = await world.quiet.writeTo(reader);
    await system.database.database.transaction(async (transaction) => {
      const LOCK = 'SELECT FROM user_messages WHERE user_id = $1 FOR UPDATE';
      await transaction.query('hold_message', LOCK, [reader.id]);
      await world.remind(reader);
    });
    expect(await world.remindedOf(reader)).toEqual([]);
    expect(await world.remindersOf(reader)).toMatchObject([{ sent: 0 }]);
    await world.remind(reader);
    expect(await world.remindedOf(reader)).toEqual([id]);
  });

  it('is sent once, however many workers look for it', async () => {
    const reader = await world.reader();
    const ids = [await world.quiet.writeTo(reader), await world.quiet.writeTo(reader)];
    await world.makeDue(reader);
    await Promise.all(Array.from({ length: 4 }, () => world.worker().remindAll()));
    expect(await world.remindedOf(reader)).toEqual(ids);
  });

  it(`waits for ${MAX_WAITING} messages of an account at most`, async () => {
    const reader = await world.reader();
    const dueAt = new Date(Date.now() + 1_000_000);
    const waiting = Array.from({ length: MAX_WAITING }, (_, place) => {
      const messageId = 1_000_000_000 + place;
      return { userId: reader.id, messageId, notificationId: randomUUID(), dueAt };
    });
    await world.prisma.pushReminder.createMany({ data: waiting });
    await world.quiet.writeTo(reader);
    expect(await world.remindersOf(reader)).toHaveLength(MAX_WAITING);
    await world.remind(reader);
    expect(await world.remindersOf(reader)).toEqual([]);
  });
});

describe('push_notifications_reminder_period_seconds', () => {
  it.each([-1, 1, 299, 86_401, 300.5])('is not %d', async (seconds) => {
    const reader = await world.people.add();
    const given = { push_notifications_reminder_period_seconds: seconds };
    expect(await reader.api.patch('/settings', given)).toMatchObject(
      badRequest(
        expect.stringMatching(/push_notifications_reminder_period_seconds/) as unknown as string,
      ),
    );
  });
});
