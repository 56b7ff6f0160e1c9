import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GroupMentions, MentionRepository } from '#chat/messages';
import { roles } from '#directory/roles';
import { systemClock } from '#platform/core';
import type { Database } from '#platform/database';
import { PUSH_TARGETS } from '#push/devices';
import { success } from '#test/answers';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import type { AcceptedDeliveries } from '../acceptance.repository.js';
import { DeferralRepository } from '../deferrals/deferral.repository.js';
import { DeferredDecisions } from '../deferrals/deferred-decisions.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { PAGE_RECIPIENTS } from '../fan-out/message-fan-out.job.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { RemovalPageJob } from './removal-page.job.js';
import { RemovalPageRepository } from './removal-page.repository.js';

/** Three pages. */
const CROWD = 2 * PAGE_RECIPIENTS + 100;

const SHOW = `
  UPDATE user_messages SET is_pushed = true, is_read = false
  WHERE message_id = $1 AND user_id = ANY($2::int[])`;

const REMOVALS = `
  SELECT user_id AS "userId" FROM push_notifications
  WHERE kind = 'remove' AND content -> 'messageIds' @> to_jsonb($1::bigint)
  ORDER BY user_id`;

const NOTIFIED = `
  SELECT user_id AS "userId" FROM push_notifications
  WHERE kind = 'message' AND content @> jsonb_build_object('messageId', $1::bigint)
  ORDER BY user_id`;

const system = useGateway();
let database: Database;
let people: NotifiedPeople;
let sender: Person;
let crowd: readonly number[];
let channel: { readonly id: number; readonly name: string };
let enqueued: AcceptedDeliveries[];
let decisions: DeferredDecisions;

const jobWith = (queue: Partial<DeliveryQueue>) =>
  new RemovalPageJob(
    database,
    new RemovalPageRepository(database),
    new MessageNotificationRepository(PUSH_TARGETS),
    queue as DeliveryQueue,
    timeToLiveOf(60_000),
    systemClock,
  );
let sut: RemovalPageJob;

beforeAll(async () => {
  ({ database } = system.database);
  people = await NotifiedPeople.in(system);
  crowd = await people.addCrowd(CROWD);
  sender = await people.add({}, { role: roles.administrator });
  decisions = new DeferredDecisions(
    database,
    new DeferralRepository(database),
    new MessageNotificationRepository(PUSH_TARGETS),
    new GroupMentions(new MentionRepository(database)),
    { enqueue: async () => true } as unknown as DeliveryQueue,
    timeToLiveOf(60_000),
  );
});

beforeEach(async () => {
  channel = await people.mail.addChannel([sender]);
  enqueued = [];
  sut = jobWith({
    enqueue: async (accepted) => {
      enqueued.push(...accepted);
      return true;
    },
  });
});

/** A message that the phones of these accounts show. */
async function shownBy(userIds: readonly number[], at = channel): Promise<number> {
  await people.subscribeCrowd(at, userIds);
  const { body } = await sendToChannel(sender, at, 'Hello');
  const messageId = Number(body['id']);
  await people.prisma.pushFanOut.deleteMany({ where: { messageId } });
  await database.query('show_to_crowd', SHOW, [messageId, userIds]);
  return messageId;
}

const remove = (messageId: number) => sender.api.delete(`/messages/${messageId}`);
const removedFrom = async (messageId: number): Promise<number[]> =>
  (await database.query<{ userId: number }>('removals_of', REMOVALS, [messageId])).map(
    ({ userId }) => userId,
  );
const realmId = () => people.mail.organisation.id;
const waiting = () => people.prisma.pushRemovalPage.count({ where: { realmId: realmId() } });

/** The accounts that were notified of a message. */
const notifiedOf = async (messageId: number): Promise<number[]> =>
  (await database.query<{ userId: number }>('notified', NOTIFIED, [messageId])).map(
    ({ userId }) => userId,
  );

/** Decides about all that waits, as a worker does. */
async function decideAll(): Promise<void> {
  const due = `UPDATE push_deferrals SET due_at = now() - interval '1 s' WHERE user_id = ANY($1::int[])`;
  await database.query('make_due', due, [crowd]);
  await decisions.decideAll();
}

/** Runs the job until it ends, as a worker does. */
async function acceptAll(job = sut): Promise<void> {
  const { retryAt } = await job.handle({ v: 1, realmId: realmId() });
  if (retryAt !== undefined) await acceptAll(job);
}

describe('A deleted message that more phones show than those of a page', () => {
  it('is deleted with a row for each page, and removed from each phone once', async () => {
    const messageId = await shownBy(crowd);
    expect(await remove(messageId)).toMatchObject({ status: 200 });
    // All that the transaction wrote while the channel waited: not a row for each phone.
    expect(await removedFrom(messageId)).toEqual([]);
    expect(await waiting()).toBe(Math.ceil(CROWD / PAGE_RECIPIENTS));

    await acceptAll();

    expect(await removedFrom(messageId)).toEqual(crowd);
    expect(await waiting()).toBe(0);
    expect(enqueued.map(({ userId }) => userId).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual(
      crowd,
    );
  });

  it('is removed once also if workers die and several meet', async () => {
    const messageId = await shownBy(crowd);
    await remove(messageId);
    const dying = jobWith({ enqueue: () => Promise.reject(new Error('The worker dies.')) });
    await expect(acceptAll(dying)).rejects.toThrow('The worker dies.');
    await Promise.all([acceptAll(), acceptAll(), acceptAll()]);
    expect(await removedFrom(messageId)).toEqual(crowd);
    expect(await waiting()).toBe(0);
  });

  it('keeps the page of a worker that dies in its transaction', async () => {
    const messageId = await shownBy(crowd);
    await remove(messageId);
    const dying = database.transaction(async (transaction) => {
      await new RemovalPageRepository(database).takeFirst(transaction, realmId());
      throw new Error('The worker dies.');
    });
    await expect(dying).rejects.toThrow('The worker dies.');
    await acceptAll();
    expect(await removedFrom(messageId)).toEqual(crowd);
  });

  it('locks no channel while its removals are accepted', async () => {
    const messageId = await shownBy(crowd);
    await remove(messageId);
    await database.transaction(async (transaction) => {
      const lock = 'SELECT FROM channels WHERE id = $1 FOR UPDATE';
      await transaction.query('hold_channel', lock, [channel.id]);
      await acceptAll();
    });
    expect(await removedFrom(messageId)).toEqual(crowd);
  });
});

it('removes the message of one page with its deletion', async () => {
  const few = crowd.slice(0, PAGE_RECIPIENTS);
  const messageId = await shownBy(few);
  await remove(messageId);
  expect(await removedFrom(messageId)).toEqual(few);
  expect(await waiting()).toBe(0);
});

describe('A message that is moved away from many readers', () => {
  const subscribeQuietly = (at: typeof channel) =>
    database.query(
      'subscribe_crowd_quietly',
      `INSERT INTO subscriptions (channel_id, user_id, push_notifications)
       SELECT $1, id, false FROM unnest($2::int[]) AS id`,
      [at.id, crowd],
    );
  const moveTo = async (messageId: number, at: typeof channel) =>
    expect(await sender.api.patch(`/messages/${messageId}`, { stream_id: at.id })).toMatchObject(
      success,
    );

  it('is removed from their phones in pages', async () => {
    const messageId = await shownBy(crowd);
    await moveTo(messageId, await people.mail.addChannel([sender]));
    expect(await removedFrom(messageId)).toEqual([]);
    expect(await waiting()).toBe(Math.ceil(CROWD / PAGE_RECIPIENTS));
    await acceptAll();
    expect(await removedFrom(messageId)).toEqual(crowd);
    expect(await waiting()).toBe(0);
  });

  describe('who do not want the messages of its new place', () => {
    let messageId: number;
    let quiet: typeof channel;

    beforeEach(async () => {
      messageId = await shownBy(crowd);
      quiet = await people.mail.addChannel([sender]);
      await subscribeQuietly(quiet);
      await moveTo(messageId, quiet);
      expect(await removedFrom(messageId)).toEqual([]);
    });

    it('is removed also from their phones', async () => {
      await acceptAll();
      expect(await removedFrom(messageId)).toEqual(crowd);
    });

    it('is notified again after its removals when it comes back before a worker has accepted them', async () => {
      await moveTo(messageId, channel);
      await decideAll();
      expect(await notifiedOf(messageId)).toEqual([]);
      await acceptAll();
      expect(await removedFrom(messageId)).toEqual(crowd);
      await decideAll();
      expect(await notifiedOf(messageId)).toEqual(crowd);
    });

    it('is notified again after its removals when an edit mentions one of them meanwhile', async () => {
      const [userId = 0] = crowd;
      const content = `@**Crowd 1|${userId}**`;
      expect(await sender.api.patch(`/messages/${messageId}`, { content })).toMatchObject(success);
      expect(await notifiedOf(messageId)).toEqual([]);
      await acceptAll();
      expect(await removedFrom(messageId)).toEqual(crowd);
      await decideAll();
      expect(await notifiedOf(messageId)).toEqual([userId]);
    });
  });
});
