import { describe, expect, it } from '@jest/globals';
import { badRequest, idOf, success } from '#test/answers';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { LEAST_PAGE } from '../pages/page.rules.js';
import { QuietWorld } from './quiet-world.fixture.js';

const system = useGateway();
const world = useFixture(() => QuietWorld.in(system));

const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

describe('Quiet hours', () => {
  it('hold a message back until they end, and then it is notified', async () => {
    const reader = await world.quietReader();
    const id = await world.writeTo(reader);
    expect(await world.notifiedOf(reader)).toEqual([]);
    expect(await world.deferralOf(reader)).toMatchObject({
      fromMessageId: null,
      heldFromMessageId: BigInt(id),
      holdCause: 'quiet_hours',
    });
    await world.makeDue(reader, { isOver: false });
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([]);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([id]);
    expect(await world.deferralOf(reader)).toBeNull();
  });

  it('leave a person out of the page of a message to many', async () => {
    const reader = await world.quietReader();
    const others: Person[] = [];
    while (others.length < LEAST_PAGE)
      others.push(await world.people.add({ isPushedChannels: true }));
    const channel = await world.people.mail.addChannel([world.sender, reader, ...others]);
    const messageId = idOf(await sendToChannel(world.sender, channel, 'soup', 'lunch'));
    const ids = others.map(({ id }) => id).toSorted((one, other) => one - other);
    const where = { userIds: { hasSome: [reader.id, ...ids] } };
    expect(await world.people.prisma.pushPage.findMany({ where })).toMatchObject([
      { userIds: ids },
    ]);
    expect(await world.notifiedOf(reader)).toEqual([]);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([messageId]);
  });

  it('end two to four minutes later for the phones, so that not all are notified at once', async () => {
    const reader = await world.quietReader();
    await world.writeTo(reader);
    const { heldUntil, dueAt } = (await world.deferralOf(reader)) ?? {};
    const laterSeconds = (Number(dueAt) - Number(heldUntil)) / 1000;
    expect(laterSeconds).toBeGreaterThanOrEqual(119);
    expect(laterSeconds).toBeLessThanOrEqual(241);
  });

  it('let the exceptions through, also past messages that they hold back', async () => {
    const reader = await world.quietReader(['direct', 'mention']);
    const channel = await world.people.mail.addChannel([world.sender, reader]);
    const held = idOf(await sendToChannel(world.sender, channel, 'soup', 'lunch'));
    const direct = await world.writeTo(reader);
    const mention = idOf(await sendToChannel(world.sender, channel, `@**|${reader.id}**`, 'lunch'));
    expect(await world.notifiedOf(reader)).toEqual([direct, mention]);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([direct, mention, held]);
  });

  it('let chosen people through', async () => {
    const friend = await world.people.add({}, { fullName: 'Freda Friend' });
    const reader = await world.quietReader(['vip'], { push_vip_user_ids: [friend.id] });
    await world.writeTo(reader);
    const id = idOf(await sendToPeople(friend, [reader], 'soup'));
    expect(await world.notifiedOf(reader)).toEqual([id]);
  });

  it('do not notify of what was read, deleted or muted meanwhile', async () => {
    const reader = await world.quietReader();
    const channel = await world.people.mail.addChannel([world.sender, reader]);
    const read = await world.writeTo(reader);
    const deleted = await world.writeTo(reader);
    idOf(await sendToChannel(world.sender, channel, 'soup', 'lunch'));
    const kept = await world.writeTo(reader);
    await reader.api.post('/messages/flags', { messages: [read], op: 'add', flag: 'read' });
    await world.people.prisma.message.deleteMany({ where: { id: deleted } });
    const muted = { stream_id: channel.id, topic: 'lunch', visibility_policy: 1 };
    await reader.api.post('/user_topics', muted);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([kept]);
    expect(await world.deferralOf(reader)).toBeNull();
  });

  it('that end while the reader is at a desk notify after the reader has left', async () => {
    const reader = await world.quietReader();
    await world.writeTo(reader);
    const last = await world.writeTo(reader);
    await world.people.wasActive(reader, 1);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([]);
    expect(await world.deferralOf(reader)).toMatchObject({ holdCause: 'quiet_hours' });
    await world.people.wasActive(reader, 201);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([last]);
  });

  it('that are removed release at once what they held back', async () => {
    const reader = await world.quietReader();
    const id = await world.writeTo(reader);
    await world.set(reader, { push_quiet_hours: [] });
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([id]);
    const next = await world.writeTo(reader);
    expect(await world.notifiedOf(reader)).toEqual([id, next]);
  });

  it('are not lost by a worker of the release before, which knows nothing of them', async () => {
    const reader = await world.quietReader();
    const id = await world.writeTo(reader);
    const DELETE = 'DELETE FROM push_deferrals WHERE user_id = $1 AND from_message_id IS NULL';
    await system.database.database.query('settle_as_before', DELETE, [reader.id]);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([id]);
    expect(await world.deferralOf(reader)).toBeNull();
  });

  it('follow the time zone of the account', async () => {
    const reader = await world.people.add();
    const hour = new Date().getUTCHours();
    const text = (value: number) => `${String((value + 24) % 24).padStart(2, '0')}:00`;
    const days = [0, 1, 2, 3, 4, 5, 6];
    // It is quiet now in UTC, and not where the clocks are five hours ahead.
    const hours = [{ days, start: text(hour - 1), end: text(hour + 2) }];
    await world.set(reader, { push_quiet_hours: hours });
    const held = await world.writeTo(reader);
    expect(await world.notifiedOf(reader)).toEqual([]);
    expect(await reader.api.patch('/settings', { timezone: 'Asia/Karachi' })).toMatchObject(
      success,
    );
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([held]);
  });
});

describe('A snooze', () => {
  it('holds back what quiet hours would let through', async () => {
    const reader = await world.quietReader(['direct'], { push_snoozed_until: inSeconds(3600) });
    await world.writeTo(reader);
    const last = await world.writeTo(reader);
    expect(await world.notifiedOf(reader)).toEqual([]);
    expect(await world.deferralOf(reader)).toMatchObject({ holdCause: 'snoozed' });
    await world.set(reader, { push_snoozed_until: 0 });
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([last]);
  });

  it.each([
    [-1, /push_snoozed_until/],
    [2_592_100, /More than 30 days ahead/],
  ])('does not end %d s from now', async (seconds, msg) => {
    const reader = await world.people.add();
    const until = seconds < 0 ? seconds : inSeconds(seconds);
    expect(await reader.api.patch('/settings', { push_snoozed_until: until })).toMatchObject(
      badRequest(expect.stringMatching(msg) as unknown as string),
    );
  });
});

describe('A delay', () => {
  it('notifies of each message that is still unread after it', async () => {
    const reader = await world.people.add();
    await world.set(reader, { push_notifications_delay_period_seconds: 600 });
    const [first, second] = [await world.writeTo(reader), await world.writeTo(reader)];
    expect(await world.notifiedOf(reader)).toEqual([]);
    const row = await world.deferralOf(reader);
    expect(row).toMatchObject({ holdCause: 'delayed', heldFromMessageId: BigInt(first) });
    const inMs = Number(row?.heldUntil) - Date.now();
    expect(inMs).toBeGreaterThan(590_000);
    expect(inMs).toBeLessThan(601_000);
    // The delay of the first is over.
    const sentAt = new Date(Date.now() - 601_000);
    await world.people.prisma.message.update({ where: { id: first }, data: { sentAt } });
    const over = { heldUntil: sentAt, dueAt: sentAt };
    await world.people.prisma.pushDeferral.updateMany({ where: { userId: reader.id }, data: over });
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([first]);
    expect(await world.deferralOf(reader)).toMatchObject({ heldFromMessageId: BigInt(second) });
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([first, second]);
  });

  it('does not hold the messages of an active reader longer than the reader stays', async () => {
    const reader = await world.people.add();
    await world.set(reader, { push_notifications_delay_period_seconds: 60 });
    await world.people.wasActive(reader, 1);
    const id = await world.writeTo(reader);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([]);
    expect(await world.deferralOf(reader)).toMatchObject({
      fromMessageId: BigInt(id),
      heldUntil: null,
    });
    await world.people.wasActive(reader, 201);
    await world.makeDue(reader);
    await world.decideAll();
    expect(await world.notifiedOf(reader)).toEqual([id]);
  });
});
