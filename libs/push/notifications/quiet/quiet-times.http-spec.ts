import { beforeAll, describe, expect, it } from '@jest/globals';
import { GroupMentions, MentionRepository } from '#chat/messages';
import { PUSH_TARGETS } from '#push/devices';
import { badRequest, idOf, success } from '#test/answers';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { DeferralRepository } from '../deferrals/deferral.repository.js';
import { DeferredDecisions } from '../deferrals/deferred-decisions.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { LEAST_PAGE } from '../pages/page.rules.js';

const system = useGateway();
let people: NotifiedPeople;
let sender: Person;
let sut: DeferredDecisions;

beforeAll(async () => {
  people = await NotifiedPeople.in(system);
  sender = await people.add({}, { fullName: 'Sven Sender' });
  const { database } = system.database;
  sut = new DeferredDecisions(
    database,
    new DeferralRepository(database),
    new MessageNotificationRepository(PUSH_TARGETS),
    new GroupMentions(new MentionRepository(database)),
    { enqueue: async () => true } as unknown as DeliveryQueue,
    timeToLiveOf(60_000),
  );
});

const WHOLE_DAYS = [{ days: [0, 1, 2, 3, 4, 5, 6], start: '00:00', end: '00:00' }];

/** Changes settings of an account; the values are sent as JSON. */
const set = async (person: Person, settings: Readonly<Record<string, unknown>>) => {
  expect(await person.api.patch('/settings', settings)).toMatchObject(success);
};

/** A reader whose phones are quiet now. */
async function quietReader(
  exceptions: readonly string[] = [],
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Person> {
  const reader = await people.add({ isPushedChannels: true });
  await set(reader, {
    push_quiet_hours: WHOLE_DAYS,
    push_quiet_hours_exceptions: exceptions,
    ...settings,
  });
  return reader;
}

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

const deferralOf = ({ id: userId }: Person) =>
  people.prisma.pushDeferral.findUnique({ where: { userId } });

/** The time of the next decision has come; with `isOver`, what holds messages back has ended as well. */
async function makeDue({ id: userId }: Person, { isOver = true } = {}): Promise<void> {
  const before = new Date(Date.now() - 1000);
  if (isOver) {
    const END = `UPDATE users SET push_quiet_times = NULL, push_snoozed_until = 0, push_delay_seconds = 0
      WHERE id = $1`;
    await system.database.database.query('end_quiet_time', END, [userId]);
  }
  const data = { dueAt: before, ...(isOver && { heldUntil: before }) };
  await people.prisma.pushDeferral.updateMany({ where: { userId }, data });
}

const writeTo = async (reader: Person, content = 'soup') =>
  idOf(await sendToPeople(sender, [reader], content));

const notifiedOf = async (reader: Person) =>
  (await people.of(reader)).map(({ content }) => (content as { messageId?: number }).messageId);

describe('Quiet hours', () => {
  it('hold a message back until they end, and then it is notified', async () => {
    const reader = await quietReader();
    const id = await writeTo(reader);
    expect(await notifiedOf(reader)).toEqual([]);
    expect(await deferralOf(reader)).toMatchObject({
      fromMessageId: null,
      heldFromMessageId: BigInt(id),
      holdCause: 'quiet_hours',
    });
    await makeDue(reader, { isOver: false });
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([]);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([id]);
    expect(await deferralOf(reader)).toBeNull();
  });

  it('leave a person out of the page of a message to many', async () => {
    const reader = await quietReader();
    const others: Person[] = [];
    while (others.length < LEAST_PAGE) others.push(await people.add({ isPushedChannels: true }));
    const channel = await people.mail.addChannel([sender, reader, ...others]);
    const messageId = idOf(await sendToChannel(sender, channel, 'soup', 'lunch'));
    const ids = others.map(({ id }) => id).toSorted((one, other) => one - other);
    const where = { userIds: { hasSome: [reader.id, ...ids] } };
    expect(await people.prisma.pushPage.findMany({ where })).toMatchObject([{ userIds: ids }]);
    expect(await notifiedOf(reader)).toEqual([]);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([messageId]);
  });

  it('end two to four minutes later for the phones, so that not all are notified at once', async () => {
    const reader = await quietReader();
    await writeTo(reader);
    const { heldUntil, dueAt } = (await deferralOf(reader)) ?? {};
    const laterSeconds = (Number(dueAt) - Number(heldUntil)) / 1000;
    expect(laterSeconds).toBeGreaterThanOrEqual(119);
    expect(laterSeconds).toBeLessThanOrEqual(241);
  });

  it('let the exceptions through, also past messages that they hold back', async () => {
    const reader = await quietReader(['direct', 'mention']);
    const channel = await people.mail.addChannel([sender, reader]);
    const held = idOf(await sendToChannel(sender, channel, 'soup', 'lunch'));
    const direct = await writeTo(reader);
    const mention = idOf(await sendToChannel(sender, channel, `@**|${reader.id}**`, 'lunch'));
    expect(await notifiedOf(reader)).toEqual([direct, mention]);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([direct, mention, held]);
  });

  it('let chosen people through', async () => {
    const friend = await people.add({}, { fullName: 'Freda Friend' });
    const reader = await quietReader(['vip'], { push_vip_user_ids: [friend.id] });
    await writeTo(reader);
    const id = idOf(await sendToPeople(friend, [reader], 'soup'));
    expect(await notifiedOf(reader)).toEqual([id]);
  });

  it('do not notify of what was read, deleted or muted meanwhile', async () => {
    const reader = await quietReader();
    const channel = await people.mail.addChannel([sender, reader]);
    const read = await writeTo(reader);
    const deleted = await writeTo(reader);
    idOf(await sendToChannel(sender, channel, 'soup', 'lunch'));
    const kept = await writeTo(reader);
    await reader.api.post('/messages/flags', { messages: [read], op: 'add', flag: 'read' });
    await people.prisma.message.deleteMany({ where: { id: deleted } });
    const muted = { stream_id: channel.id, topic: 'lunch', visibility_policy: 1 };
    await reader.api.post('/user_topics', muted);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([kept]);
    expect(await deferralOf(reader)).toBeNull();
  });

  it('notify once for each conversation afterwards, of its newest message, and of no more later', async () => {
    const reader = await quietReader();
    const channel = await people.mail.addChannel([sender, reader]);
    const inTopic = async (topic: string) => idOf(await sendToChannel(sender, channel, 'x', topic));
    const [, lunch] = [await inTopic('lunch'), await inTopic('Lunch')];
    await writeTo(reader);
    const direct = await writeTo(reader);
    const dinner = await inTopic('dinner');
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([lunch, direct, dinner]);
    const later = await inTopic('lunch');
    expect(await notifiedOf(reader)).toEqual([lunch, direct, dinner, later]);
    await set(reader, { wildcard_mentions_notify: false });
    await makeDue(reader);
    await sut.decideAll();
    // Those that others stood for are not notified after a change of the settings either.
    expect(await notifiedOf(reader)).toEqual([lunch, direct, dinner, later]);
  });

  it('notify of the ten newest conversations at most', async () => {
    const reader = await quietReader();
    const channel = await people.mail.addChannel([sender, reader]);
    const ids: number[] = [];
    for (let topic = 0; topic < 12; topic++) {
      ids.push(idOf(await sendToChannel(sender, channel, 'x', `topic ${topic}`)));
    }
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual(ids.slice(2));
  });

  it('that end while the reader is at a desk notify after the reader has left', async () => {
    const reader = await quietReader();
    await writeTo(reader);
    const last = await writeTo(reader);
    await people.wasActive(reader, 1);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([]);
    expect(await deferralOf(reader)).toMatchObject({ holdCause: 'quiet_hours' });
    await people.wasActive(reader, 201);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([last]);
  });

  it('that are removed release at once what they held back', async () => {
    const reader = await quietReader();
    const id = await writeTo(reader);
    await set(reader, { push_quiet_hours: [] });
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([id]);
    const next = await writeTo(reader);
    expect(await notifiedOf(reader)).toEqual([id, next]);
  });

  it('are not lost by a worker of the release before, which knows nothing of them', async () => {
    const reader = await quietReader();
    const id = await writeTo(reader);
    const DELETE = 'DELETE FROM push_deferrals WHERE user_id = $1 AND from_message_id IS NULL';
    await system.database.database.query('settle_as_before', DELETE, [reader.id]);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([id]);
    expect(await deferralOf(reader)).toBeNull();
  });

  it('follow the time zone of the account', async () => {
    const reader = await people.add();
    const hour = new Date().getUTCHours();
    const text = (value: number) => `${String((value + 24) % 24).padStart(2, '0')}:00`;
    const days = [0, 1, 2, 3, 4, 5, 6];
    // It is quiet now in UTC, and not where the clocks are five hours ahead.
    const hours = [{ days, start: text(hour - 1), end: text(hour + 2) }];
    await set(reader, { push_quiet_hours: hours });
    const held = await writeTo(reader);
    expect(await notifiedOf(reader)).toEqual([]);
    expect(await reader.api.patch('/settings', { timezone: 'Asia/Karachi' })).toMatchObject(
      success,
    );
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([held]);
  });
});

describe('A snooze', () => {
  it('holds back what quiet hours would let through', async () => {
    const reader = await quietReader(['direct'], { push_snoozed_until: inSeconds(3600) });
    await writeTo(reader);
    const last = await writeTo(reader);
    expect(await notifiedOf(reader)).toEqual([]);
    expect(await deferralOf(reader)).toMatchObject({ holdCause: 'snoozed' });
    await set(reader, { push_snoozed_until: 0 });
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([last]);
  });

  it.each([
    [-1, /push_snoozed_until/],
    [2_592_100, /More than 30 days ahead/],
  ])('does not end %d s from now', async (seconds, msg) => {
    const reader = await people.add();
    const until = seconds < 0 ? seconds : inSeconds(seconds);
    expect(await reader.api.patch('/settings', { push_snoozed_until: until })).toMatchObject(
      badRequest(expect.stringMatching(msg) as unknown as string),
    );
  });
});

describe('A delay', () => {
  it('notifies of each message that is still unread after it', async () => {
    const reader = await people.add();
    await set(reader, { push_notifications_delay_period_seconds: 600 });
    const [first, second] = [await writeTo(reader), await writeTo(reader)];
    expect(await notifiedOf(reader)).toEqual([]);
    const row = await deferralOf(reader);
    expect(row).toMatchObject({ holdCause: 'delayed', heldFromMessageId: BigInt(first) });
    const inMs = Number(row?.heldUntil) - Date.now();
    expect(inMs).toBeGreaterThan(590_000);
    expect(inMs).toBeLessThan(601_000);
    // The delay of the first is over.
    const sentAt = new Date(Date.now() - 601_000);
    await people.prisma.message.update({ where: { id: first }, data: { sentAt } });
    const over = { heldUntil: sentAt, dueAt: sentAt };
    await people.prisma.pushDeferral.updateMany({ where: { userId: reader.id }, data: over });
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([first]);
    expect(await deferralOf(reader)).toMatchObject({ heldFromMessageId: BigInt(second) });
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([first, second]);
  });

  it('does not hold the messages of an active reader longer than the reader stays', async () => {
    const reader = await people.add();
    await set(reader, { push_notifications_delay_period_seconds: 60 });
    await people.wasActive(reader, 1);
    const id = await writeTo(reader);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([]);
    expect(await deferralOf(reader)).toMatchObject({ fromMessageId: BigInt(id), heldUntil: null });
    await people.wasActive(reader, 201);
    await makeDue(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([id]);
  });
});
