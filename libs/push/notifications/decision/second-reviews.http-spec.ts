import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { idOf } from '#test/answers';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { ReviewRepository } from './review.repository.js';
import { secondReviewsIn } from './review.fixture.js';
import { SecondReviews } from './second-reviews.js';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add());
let reader: Person;
let channel: Awaited<ReturnType<NotifiedPeople['mail']['addChannel']>>;
let sut: SecondReviews;

beforeAll(async () => {
  sut = secondReviewsIn(system.database.database);
});
beforeEach(async () => {
  reader = await people.add({ isPushedChannels: true });
  channel = await people.mail.addChannel([sender, reader]);
});

const MUTED = 1;
const UNMUTED = 2;
const see = (visibility: number) =>
  reader.api.post('/user_topics', {
    stream_id: channel.id,
    topic: 'lunch',
    visibility_policy: visibility,
  });

const send = async () => idOf(await sendToChannel(sender, channel, 'soup', 'lunch'));

/** The mark of a message as a statement leaves it that did not see the change of the settings. */
const mark = (messageId: number, isPushed: boolean) =>
  people.prisma.userMessage.updateMany({
    where: { messageId, userId: reader.id },
    data: { isPushed },
  });

const reviewOf = () => people.prisma.pushReview.findUnique({ where: { userId: reader.id } });

const makeDue = () =>
  people.prisma.pushReview.update({
    where: { userId: reader.id },
    data: { dueAt: new Date(Date.now() - 1000) },
  });

const deferralOf = () => people.prisma.pushDeferral.findUnique({ where: { userId: reader.id } });

describe(SecondReviews.name, () => {
  it('takes back a message that was stored while its topic was muted', async () => {
    await see(MUTED);
    const messageId = await send();
    await mark(messageId, true);
    await makeDue();
    await sut.reviewAll();
    expect(await people.onScreenOf(reader)).toEqual([]);
    expect((await people.of(reader)).at(-1)).toMatchObject({
      kind: 'remove',
      content: { messageIds: [messageId] },
    });
    expect(await reviewOf()).toBeNull();
  });

  it('notifies of a message that was stored while its topic was unmuted', async () => {
    await see(MUTED);
    await see(UNMUTED);
    const messageId = await send();
    await mark(messageId, false);
    expect(await deferralOf()).toBeNull();
    await makeDue();
    await sut.reviewAll();
    expect(await deferralOf()).toMatchObject({ fromMessageId: BigInt(messageId) });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a topic', () => see(MUTED)],
    [
      'a channel',
      () =>
        reader.api.post('/users/me/subscriptions/properties', {
          subscription_data: [{ stream_id: channel.id, property: 'is_muted', value: true }],
        }),
    ],
    [
      'the account',
      () => reader.api.patch('/settings', { enable_stream_push_notifications: false }),
    ],
  ])('waits for some seconds after a change of %s', async (_, change) => {
    await change();
    const dueAt = (await reviewOf())?.dueAt.getTime() ?? 0;
    expect(dueAt).toBeGreaterThan(Date.now());
    await sut.reviewAll();
    expect(await reviewOf()).not.toBeNull();
  });

  it('waits as long after a change whose transaction has waited', async () => {
    const { database } = system.database;
    let changedAt = 0;
    await database.transaction(async (transaction) => {
      await transaction.query('sleep', 'SELECT pg_sleep(2)', []);
      changedAt = Date.now();
      await new ReviewRepository(database).add(transaction, reader.id, 'wishes');
    });
    // Due times are rounded to seconds.
    expect((await reviewOf())?.dueAt.getTime()).toBeGreaterThan(changedAt + 2000);
  });
});
