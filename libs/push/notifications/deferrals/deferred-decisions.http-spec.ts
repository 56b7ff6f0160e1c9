import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GroupMentions, MentionRepository } from '#chat/messages';
import { PUSH_TARGETS } from '#push/devices';
import { idOf } from '#test/answers';
import { untilLockWaits } from '#test/lock-waits';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import type { AcceptedDeliveries } from '../acceptance.repository.js';
import type { DeliveryQueue } from '../delivery-queue.js';
import { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { DeferralRepository } from './deferral.repository.js';
import { DeferredDecisions } from './deferred-decisions.js';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add({}, { fullName: 'Sven Sender' }));
let sut: DeferredDecisions;
let enqueued: AcceptedDeliveries[];

beforeAll(async () => {
  const { database } = system.database;
  const queue = {
    enqueue: async (accepted: readonly AcceptedDeliveries[]) => {
      enqueued.push(...accepted);
      return true;
    },
  } as unknown as DeliveryQueue;
  sut = new DeferredDecisions(
    database,
    new DeferralRepository(database),
    new MessageNotificationRepository(PUSH_TARGETS),
    new GroupMentions(new MentionRepository(database)),
    queue,
    timeToLiveOf(60_000),
  );
});
beforeEach(() => {
  enqueued = [];
});

/** A reader who was active a second ago. */
async function activeReader(wishes: Parameters<NotifiedPeople['add']>[0] = {}): Promise<Person> {
  const reader = await people.add(wishes);
  await people.wasActive(reader, 1);
  return reader;
}

const deferralOf = ({ id: userId }: Person) =>
  people.prisma.pushDeferral.findUnique({ where: { userId } });

/** The reader has been idle for long enough, and the time of the decision has come. */
async function leave(reader: Person, secondsAgo = 201): Promise<void> {
  await people.wasActive(reader, secondsAgo);
  await makeDue(reader);
}

const makeDue = ({ id: userId }: Person) =>
  people.prisma.pushDeferral.updateMany({
    where: { userId },
    data: { dueAt: new Date(Date.now() - 1000) },
  });

const read = (reader: Person, ...messages: number[]) =>
  reader.api.post('/messages/flags', { messages, op: 'add', flag: 'read' });

const writeTo = async (reader: Person) => idOf(await sendToPeople(sender, [reader]));

const notifiedOf = async (reader: Person) =>
  (await people.of(reader)).map(({ kind, content }) => [
    kind,
    (content as { messageId?: number }).messageId,
  ]);

describe(DeferredDecisions.name, () => {
  it('notifies of what came while the reader was active, once the reader has left', async () => {
    const reader = await activeReader();
    const ids = [await writeTo(reader), await writeTo(reader)];
    expect(await people.of(reader)).toEqual([]);
    await makeDue(reader);
    await sut.decideAll();
    expect(await people.of(reader)).toEqual([]);
    await leave(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual(ids.map((id) => ['message', id]));
    expect(await people.onScreenOf(reader)).toEqual(ids);
    expect(await deferralOf(reader)).toBeNull();
    // Readers of other tests may have left as well.
    const ofReader = enqueued.filter(({ userId }) => userId === reader.id);
    expect(ofReader.map(({ kind }) => kind)).toEqual(['message', 'message']);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toHaveLength(2);
  });

  it('keeps one row for an account, from its first message on, until it can be away', async () => {
    const reader = await activeReader();
    const [first, , third] = [await writeTo(reader), await writeTo(reader), await writeTo(reader)];
    const row = await deferralOf(reader);
    expect(Number(row?.fromMessageId)).toBe(first);
    const inSeconds = (Number(row?.dueAt) - Date.now()) / 1000;
    expect(inSeconds).toBeGreaterThan(150);
    expect(inSeconds).toBeLessThan(203);
    await read(reader, first);
    await makeDue(reader);
    await sut.decideAll();
    expect(Number((await deferralOf(reader))?.fromMessageId)).toBe(third - 1);
    await read(reader, third - 1, third);
    await makeDue(reader);
    await sut.decideAll();
    expect(await deferralOf(reader)).toBeNull();
  });

  it('does not notify of what was read, deleted or muted at the desk', async () => {
    const reader = await activeReader({ isPushedChannels: true });
    const channel = await people.mail.addChannel([sender, reader]);
    const kept = await writeTo(reader);
    const readOne = await writeTo(reader);
    const deleted = await writeTo(reader);
    idOf(await sendToChannel(sender, channel, 'soup', 'lunch'));
    await read(reader, readOne);
    const owner = await people.mail.organisation.addPerson({ role: 100 });
    await owner.api.delete(`/messages/${deleted}`);
    await sender.api.delete(`/messages/${deleted}`);
    await people.prisma.message.deleteMany({ where: { id: deleted } });
    await reader.api.post('/user_topics', {
      stream_id: channel.id,
      topic: 'lunch',
      visibility_policy: 1,
    });
    await leave(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([['message', kept]]);
    expect(await deferralOf(reader)).toBeNull();
  });

  it('notifies of a muted topic that was unmuted at the desk', async () => {
    const reader = await activeReader({ isPushedChannels: true });
    const channel = await people.mail.addChannel([sender, reader]);
    const policy = (visibility: number) =>
      reader.api.post('/user_topics', {
        stream_id: channel.id,
        topic: 'lunch',
        visibility_policy: visibility,
      });
    await policy(1);
    const messageId = idOf(await sendToChannel(sender, channel, 'soup', 'lunch'));
    expect(await deferralOf(reader)).toBeNull();
    await policy(2);
    expect(Number((await deferralOf(reader))?.fromMessageId)).toBe(messageId);
    await leave(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([['message', messageId]]);
  });

  it('names the group that was mentioned', async () => {
    const reader = await activeReader();
    const groupId = await people.mail.addGroup([reader], { name: `cooks ${reader.id}` });
    const channel = await people.mail.addChannel([sender, reader]);
    const messageId = idOf(await sendToChannel(sender, channel, `@*cooks ${reader.id}* soup`));
    await leave(reader);
    await sut.decideAll();
    expect((await people.of(reader)).map(({ content }) => content)).toEqual([
      { kind: 'message', messageId, trigger: 'group_mention', groupId },
    ]);
  });

  it('keeps the order: a message after the reader has left waits for the decision about earlier ones', async () => {
    const reader = await activeReader();
    const first = await writeTo(reader);
    await people.wasActive(reader, 201);
    const second = await writeTo(reader);
    expect(await people.of(reader)).toEqual([]);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([
      ['message', first],
      ['message', second],
    ]);
  });

  it('does not hold back new messages where no worker decides', async () => {
    const reader = await activeReader();
    await writeTo(reader);
    await people.wasActive(reader, 1000);
    await people.prisma.pushDeferral.update({
      where: { userId: reader.id },
      data: { dueAt: new Date(Date.now() - 60_000) },
    });
    const second = await writeTo(reader);
    expect(await notifiedOf(reader)).toEqual([['message', second]]);
  });

  it.each<[string, boolean]>([
    ['notifies of any number of messages', true],
    ['does not let a message wait behind any number of unwanted ones', false],
  ])('%s', async (_, isWanted) => {
    const reader = await activeReader({ isPushedChannels: isWanted });
    const channel = await people.mail.addChannel([sender, reader]);
    const first = await writeTo(reader);
    const messages = await people.prisma.message.createManyAndReturn({
      data: Array.from({ length: 250 }, () => ({
        realmId: people.mail.organisation.id,
        senderId: sender.id,
        channelId: channel.id,
        content: 'x',
      })),
      select: { id: true },
    });
    const data = messages.map(({ id }) => ({ userId: reader.id, messageId: id }));
    await people.prisma.userMessage.createMany({ data });
    const last = await writeTo(reader);
    await leave(reader);
    await sut.decideAll();
    const notified = (await people.of(reader)).map(
      ({ content }) => (content as { messageId: number }).messageId,
    );
    const ids = messages.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
    expect(notified).toEqual([first, ...(isWanted ? ids : []), last]);
    expect(await deferralOf(reader)).toBeNull();
  });

  it('misses no message that is stored during a decision', async () => {
    const reader = await activeReader();
    await read(reader, await writeTo(reader));
    await makeDue(reader);
    const { database } = system.database;
    const stored = await database.transaction(async (transaction) => {
      // The message shares the row, which then nobody can remove.
      await transaction.query('share', 'SELECT FROM push_deferrals WHERE user_id = $1 FOR UPDATE', [
        reader.id,
      ]);
      const sending = writeTo(reader);
      await untilLockWaits(database);
      await sut.decideAll();
      return { sending };
    });
    const messageId = await stored.sending;
    await leave(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([['message', messageId]]);
  });
});

describe('The row of a reader', () => {
  it('stays while a message shares it that is not visible yet', async () => {
    const reader = await activeReader();
    await read(reader, await writeTo(reader));
    await makeDue(reader);
    await system.database.database.transaction(async (transaction) => {
      const share = 'SELECT FROM push_deferrals WHERE user_id = $1 FOR KEY SHARE';
      await transaction.query('share_in_flight', share, [reader.id]);
      await sut.decideAll();
    });
    expect(await deferralOf(reader)).not.toBeNull();
    await sut.decideAll();
    expect(await deferralOf(reader)).toBeNull();
  });
});

describe('A reader whose event queue ends', () => {
  const register = async (reader: Person, types?: string[]) =>
    String(
      (await reader.api.post('/register', types === undefined ? {} : { event_types: types })).body[
        'queue_id'
      ],
    );
  const end = (reader: Person, queue_id: string) => reader.api.delete('/events', { queue_id });
  /** The time for the reload of a page is over. */
  const wait = ({ id: userId }: Person) =>
    people.prisma.pushDeferral.updateMany({
      where: { userId },
      data: { leftAt: new Date(Date.now() - 10_000), dueAt: new Date(Date.now() - 1000) },
    });

  it('is notified of what is unread, and of later messages at once', async () => {
    const reader = await people.add();
    const queueId = await register(reader);
    await people.wasActive(reader, 20);
    const first = await writeTo(reader);
    await end(reader, queueId);
    const row = await deferralOf(reader);
    expect(row?.leftAt).not.toBeNull();
    expect(Number(row?.dueAt) - Date.now()).toBeLessThan(8000);
    await wait(reader);
    await sut.decideAll();
    expect(await notifiedOf(reader)).toEqual([['message', first]]);
    const second = await writeTo(reader);
    expect(await notifiedOf(reader)).toEqual([
      ['message', first],
      ['message', second],
    ]);
  });

  it.each<[string, (reader: Person) => Promise<unknown>]>([
    ['has another queue', (reader) => register(reader)],
    ['reports activity again', (reader) => people.wasActive(reader, 0)],
  ])('is not notified while it %s', async (_, stay) => {
    const reader = await people.add();
    const queueId = await register(reader);
    await people.wasActive(reader, 20);
    await writeTo(reader);
    await end(reader, queueId);
    await wait(reader);
    await stay(reader);
    await sut.decideAll();
    expect(await people.of(reader)).toEqual([]);
    expect((await deferralOf(reader))?.fromMessageId).not.toBeNull();
  });

  it('has not left with a queue without messages', async () => {
    const reader = await people.add();
    await end(reader, await register(reader, ['presence']));
    expect(await deferralOf(reader)).toBeNull();
  });
});
