import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import type { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import { untilLockWaits } from '#test/lock-waits';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { type AcceptedDeliveries, devicesOf } from '../acceptance.repository.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { RemovalPageJob } from '../removal/removal-page.job.js';
import { RemovalPageRepository } from '../removal/removal-page.repository.js';
import { fanOutJob, runToEnd } from './fan-out-job.fixture.js';
import { type MessageFanOutJob, PAGE_RECIPIENTS } from './message-fan-out.job.js';

/** Three pages. */
const CROWD = 2 * PAGE_RECIPIENTS + 100;

const ACCEPTED = `
  SELECT notification.user_id AS "userId", delivery.sequence::int AS sequence
  FROM push_notifications notification
  JOIN push_deliveries delivery ON delivery.notification_id = notification.id
  WHERE (notification.content ->> 'messageId')::bigint = $1
  UNION ALL
  SELECT unnest(user_ids), sequence::int FROM push_pages
  WHERE (content ->> 'messageId')::bigint = $1
  ORDER BY 1`;

const REMOVALS = `
  SELECT user_id AS "userId" FROM push_notifications
  WHERE kind = 'remove' AND content -> 'messageIds' @> to_jsonb($1::bigint)
  ORDER BY user_id`;

const system = useGateway();
let database: Database;
let people: NotifiedPeople;
let sender: Person;
let crowd: readonly number[];
let channel: { readonly id: number; readonly name: string };
let enqueued: {
  readonly accepted: readonly AcceptedDeliveries[];
  readonly devicesBefore: number;
}[];
let sut: MessageFanOutJob;

beforeAll(async () => {
  ({ database } = system.database);
  people = await NotifiedPeople.in(system);
  crowd = await people.addCrowd(CROWD);
  sender = await people.add();
});

beforeEach(async () => {
  channel = await people.mail.addChannel([sender]);
  await people.subscribeCrowd(channel, crowd);
  enqueued = [];
  sut = fanOutJob(database, async (accepted, { devicesBefore = 0 } = {}) => {
    enqueued.push({ accepted, devicesBefore });
    return true;
  });
});

const send = async (content = 'Hello'): Promise<number> => {
  const { status, body } = await sendToChannel(sender, channel, content);
  expect(status).toBe(200);
  return Number(body['id']);
};

const accepted = (messageId: number) =>
  database.query<{ userId: number; sequence: number }>('accepted', ACCEPTED, [messageId]);

const acceptedIds = async (messageId: number): Promise<number[]> =>
  (await accepted(messageId)).map(({ userId }) => userId);

const waiting = () => people.prisma.pushFanOut.count({ where: { channelId: channel.id } });

const notifyAll = (job = sut): Promise<void> => runToEnd(job, channel.id);

describe('A message with more recipients than a page', () => {
  it('is stored without notifications, and every recipient is notified once in pages', async () => {
    const messageId = await send();
    expect(await acceptedIds(messageId)).toEqual([]);
    expect(await waiting()).toBe(1);

    await notifyAll();

    expect(await acceptedIds(messageId)).toEqual(crowd);
    expect(await waiting()).toBe(0);
    const isPushed = { messageId, isPushed: true };
    expect(await people.prisma.userMessage.count({ where: isPushed })).toBe(CROWD);
    // The sender is a recipient without a notification.
    const sizes = enqueued.map((page) => devicesOf(page.accepted));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(CROWD);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(PAGE_RECIPIENTS);
    expect(enqueued.map(({ devicesBefore }) => devicesBefore)).toEqual([
      0,
      sizes[0],
      Number(sizes[0]) + Number(sizes[1]),
    ]);
  });

  it('is notified once also if workers die and two of them meet', async () => {
    const messageId = await send();
    const dying = fanOutJob(database, () => Promise.reject(new Error('The worker dies.')));
    await expect(notifyAll(dying)).rejects.toThrow('The worker dies.');
    await Promise.all([notifyAll(), notifyAll(), notifyAll()]);
    await notifyAll();
    expect(await acceptedIds(messageId)).toEqual(crowd);
  });

  it('is left to the worker that notifies its channel, without waiting for it', async () => {
    const messageId = await send();
    await database.transaction(async (transaction) => {
      const text = 'SELECT FROM push_fan_outs WHERE message_id = $1 FOR UPDATE';
      await transaction.query('page_of_another_worker', text, [messageId]);
      expect(await sut.handle({ v: 1, channelId: channel.id })).toEqual({});
    });
    expect(await acceptedIds(messageId)).toEqual([]);
    await notifyAll();
    expect(await acceptedIds(messageId)).toEqual(crowd);
  });

  it('precedes later messages of its channel on each phone', async () => {
    const first = await send('First');
    const second = await send('Second');
    await Promise.all([notifyAll(), notifyAll()]);
    const [before, after] = await Promise.all([accepted(first), accepted(second)]);
    expect(before.map(({ userId }) => userId)).toEqual(crowd);
    expect(after.map(({ userId }) => userId)).toEqual(crowd);
    const isLater = after.map(({ sequence }, index) => sequence > Number(before[index]?.sequence));
    expect(isLater).not.toContain(false);
  });

  it('is not notified to recipients who have read it, also at the same moment', async () => {
    const messageId = await send();
    const [early = 0, late = 0] = crowd;
    const read = { isRead: true, isPushed: false };
    const rowOf = (userId: number) => ({ userId_messageId: { userId, messageId } });
    await people.prisma.userMessage.update({ where: rowOf(early), data: read });
    let notifying: Promise<void> = Promise.resolve();
    await database.transaction(async (transaction) => {
      const values = [late, messageId];
      const text = `UPDATE user_messages SET is_read = true WHERE user_id = $1 AND message_id = $2`;
      await transaction.query('read', text, values);
      notifying = notifyAll();
      await untilLockWaits(database);
    });
    await notifying;
    expect(await acceptedIds(messageId)).toEqual(crowd.slice(2));
  });

  it('is marked as notified also for a recipient who flags it at the same moment', async () => {
    const messageId = await send();
    const [early = 0] = crowd;
    let notifying: Promise<void> = Promise.resolve();
    await database.transaction(async (transaction) => {
      const text = `UPDATE user_messages SET is_starred = true WHERE user_id = $1 AND message_id = $2`;
      await transaction.query('star', text, [early, messageId]);
      notifying = notifyAll();
      await untilLockWaits(database);
    });
    await notifying;
    expect(await acceptedIds(messageId)).toEqual(crowd);
    const isPushed = { messageId, isPushed: true };
    expect(await people.prisma.userMessage.count({ where: isPushed })).toBe(CROWD);
  });

  it('is not notified after it was deleted, and does not stop the next one', async () => {
    const deleted = await send('Deleted');
    const next = await send('Next');
    await people.prisma.message.delete({ where: { id: deleted } });
    await notifyAll();
    expect(await acceptedIds(deleted)).toEqual([]);
    expect(await acceptedIds(next)).toEqual(crowd);
    expect(await waiting()).toBe(0);
  });

  it('is taken back from all phones when it is deleted later', async () => {
    const messageId = await send();
    await notifyAll();
    const administrator = await people.mail.organisation.addPerson({ role: roles.administrator });
    expect(await administrator.api.delete(`/messages/${messageId}`)).toMatchObject({ status: 200 });
    const { id: realmId } = people.mail.organisation;
    await new RemovalPageJob(
      database,
      new RemovalPageRepository(database),
      new MessageNotificationRepository(PUSH_TARGETS),
      { enqueue: async () => true } as unknown as DeliveryQueue,
      timeToLiveOf(60_000),
      () => 0,
    ).handle({ v: 1, realmId });
    const removals = await database.query<{ userId: number }>('removals', REMOVALS, [messageId]);
    expect(removals.map(({ userId }) => userId)).toEqual(crowd);
  });

  it('is notified by the settings of the channel to which it was moved', async () => {
    const messageId = await send();
    const quiet = await people.mail.addChannel([sender]);
    const [wanting = 0, ...others] = crowd;
    await people.subscribeCrowd(quiet, [wanting]);
    await people.subscribeCrowd(quiet, others, { wantsAll: false });
    await people.prisma.message.update({ where: { id: messageId }, data: { channelId: quiet.id } });
    await notifyAll();
    expect(await acceptedIds(messageId)).toEqual([wanting]);
    expect(await waiting()).toBe(0);
  });

  it('is not notified after its time', async () => {
    const messageId = await send();
    const expiresAt = new Date(Date.now() - 1000);
    await people.prisma.pushFanOut.update({ where: { messageId }, data: { expiresAt } });
    await notifyAll();
    expect(await acceptedIds(messageId)).toEqual([]);
    expect(await waiting()).toBe(0);
  });
});

it('notifies the recipients of one page with the message', async () => {
  channel = await people.mail.addChannel([sender]);
  const few = crowd.slice(0, PAGE_RECIPIENTS - 1);
  await people.subscribeCrowd(channel, few);
  const messageId = await send();
  expect(await acceptedIds(messageId)).toEqual(few);
  expect(await waiting()).toBe(0);
});
