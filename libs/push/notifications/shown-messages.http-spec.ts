import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { VisibleUsersRepository } from '#directory/guest-access';
import { ContentReader } from './content-reader.js';
import { unwantedMessagesIn } from './decision/review.fixture.js';
import { MessageContentRepository } from './message-content.repository.js';
import { MAX_BLOCKING_ATTEMPTS } from './notification.js';
import { idOf } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { deliveriesTo } from '#test/push-ledger';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add({}, { fullName: 'Sven Sender' }));
let reader: Person;
let sut: ContentReader;

beforeAll(async () => {
  const { database } = system.database;
  sut = new ContentReader(
    new MessageContentRepository(database),
    new VisibleUsersRepository(database),
    unwantedMessagesIn(database),
    false,
    new URL('https://chat.example.org'),
  );
});

beforeEach(async () => {
  reader = await people.add({ isPushedChannels: true });
});

/** Of a notification that is sent at once. */
const PROMPT = { attempts: 0, acceptedAt: 0, databaseNow: 0 };

const send = async () => idOf(await sendToPeople(sender, [reader]));

const mark = (messages: readonly number[], op: 'add' | 'remove') =>
  reader.api.post('/messages/flags', { messages, op, flag: 'read' });

const deliveries = () => deliveriesTo(people.prisma, reader.id);

/** How far a delivery has come: its columns after a claim, or before the first one. */
interface Progress {
  readonly state: string;
  readonly mayBeShown?: boolean;
  /** By this release or the previous one. */
  readonly wasClaimed?: boolean;
}

/** Sets the progress of the newest delivery of a kind. */
async function set({ wasClaimed = true, ...progress }: Progress, kind = 'message') {
  const { prisma } = people;
  const [newest] = await prisma.pushNotification.findMany({
    where: { userId: reader.id, kind },
    orderBy: [{ acceptedAt: 'desc' }, { id: 'desc' }],
    take: 1,
  });
  await prisma.pushDelivery.updateMany({
    where: { notificationId: newest?.id ?? '' },
    data: { ...progress, ...(wasClaimed && { dueAt: new Date(Date.now() + 30_000) }) },
  });
}

/** What the newest removal names when it is sent after so many attempts; null if it is not. */
async function removed(attempts = 0): Promise<readonly number[] | null> {
  const { prisma } = people;
  const removals = await prisma.pushNotification.findMany({
    where: { userId: reader.id, kind: 'remove' },
    orderBy: [{ acceptedAt: 'asc' }, { id: 'asc' }],
  });
  const last = removals.at(-1);
  const { deviceId = 0, sequence = 0n } =
    (await deliveries()).find(({ notificationId }) => notificationId === last?.id) ?? {};
  const content = last?.content as { kind: 'remove'; messageIds: number[] };
  const read = await sut.read(
    { userId: reader.id, deviceId, sequence: Number(sequence), ...PROMPT, attempts },
    content,
  );
  return read?.kind === 'remove' ? read.messageIds : null;
}

describe('A removal', () => {
  it.each<[string, Progress]>([
    ['delivered', { state: 'delivered' }],
    ['delivered, by the previous release', { state: 'delivered', mayBeShown: false }],
    ['being sent', { state: 'pending' }],
    ['withdrawn after an attempt without an answer', { state: 'withdrawn', mayBeShown: true }],
    ['revoked after such an attempt', { state: 'revoked', mayBeShown: true }],
    ['expired after such an attempt', { state: 'expired', mayBeShown: true }],
    ['refused after such an attempt', { state: 'rejected', mayBeShown: true }],
    ['called dead after such an attempt', { state: 'dead_token', mayBeShown: true }],
    ['waiting after such an attempt', { state: 'pending', mayBeShown: true }],
  ])('names a message whose notification is %s', async (_case, progress) => {
    const messageId = await send();
    await set(progress);
    await mark([messageId], 'add');
    expect(await removed()).toEqual([messageId]);
  });

  it.each<[string, Progress]>([
    ['withdrawn before an attempt', { state: 'withdrawn', mayBeShown: false }],
    ['refused', { state: 'rejected', mayBeShown: false }],
    ['expired after refusals', { state: 'expired', mayBeShown: false }],
    ['expired without a claim', { state: 'expired', wasClaimed: false }],
    ['waiting for its first attempt', { state: 'pending', wasClaimed: false }],
    ['waiting after refusals', { state: 'pending', mayBeShown: false }],
  ])('does not name a message whose notification is %s', async (_case, progress) => {
    const [unsent, shown] = [await send(), await send()];
    await set({ state: 'delivered' });
    await people.prisma.$executeRaw`
      UPDATE push_deliveries delivery
      SET state = ${progress.state}, may_be_shown = ${progress.mayBeShown ?? true},
        due_at = delivery.accepted_at + make_interval(secs => ${progress.wasClaimed === false ? 0 : 30})
      FROM push_notifications notification
      WHERE notification.id = delivery.notification_id AND notification.user_id = ${reader.id}
        AND (notification.content ->> 'messageId')::bigint = ${unsent}`;
    await mark([unsent, shown], 'add');
    expect(await removed()).toEqual([shown]);
  });

  it('is not sent if no message is left to name', async () => {
    const messageIds = [await send(), await send()];
    await people.prisma.$executeRaw`
      UPDATE push_deliveries SET state = 'withdrawn', may_be_shown = false
      WHERE notification_id IN (SELECT id FROM push_notifications WHERE user_id = ${reader.id})`;
    await mark(messageIds, 'add');
    expect(await removed()).toBeNull();
  });

  it.each([
    [
      'that the ledger has forgotten',
      "DELETE FROM push_notifications WHERE user_id = $1 AND kind = 'message'",
    ],
    [
      'that is older than the search in the ledger',
      `UPDATE messages SET sent_at = now() - interval '25 hours' WHERE id IN (
         SELECT message_id FROM user_messages WHERE user_id = $1
       )`,
    ],
    [
      'that was notified on another phone only',
      `UPDATE push_deliveries SET device_id = 2000000000 WHERE notification_id IN (
         SELECT id FROM push_notifications WHERE user_id = $1 AND kind = 'message'
       )`,
    ],
  ])('names a message %s', async (which, change) => {
    const messageId = await send();
    await set({ state: 'withdrawn', mayBeShown: false });
    await mark([messageId], 'add');
    await system.database.database.query(which, change, [reader.id]);
    expect(await removed()).toEqual([messageId]);
  });

  it('names a message that was notified twice if one of the two may be shown', async () => {
    const channel = await people.mail.addChannel([sender, reader]);
    const messageId = idOf(await sendToChannel(sender, channel));
    await set({ state: 'withdrawn', mayBeShown: true });
    await mark([messageId], 'add');
    await mark([messageId], 'remove');
    const { fullName } = await people.prisma.user.findUniqueOrThrow({ where: { id: reader.id } });
    await sender.api.patch(`/messages/${messageId}`, { content: `@**${fullName}**` });
    await set({ state: 'withdrawn', mayBeShown: false });
    await mark([messageId], 'add');
    expect(await removed()).toEqual([messageId]);
  });

  it('does not name a message that was sent again after it', async () => {
    const channel = await people.mail.addChannel([sender, reader]);
    const messageId = idOf(await sendToChannel(sender, channel));
    const other = idOf(await sendToChannel(sender, channel));
    await people.prisma.$executeRaw`
      UPDATE push_deliveries SET state = 'delivered'
      WHERE notification_id IN (SELECT id FROM push_notifications WHERE user_id = ${reader.id})`;
    await mark([messageId, other], 'add');
    expect(await removed()).toEqual([messageId, other]);
    await mark([messageId], 'remove');
    const { fullName } = await people.prisma.user.findUniqueOrThrow({ where: { id: reader.id } });
    await sender.api.patch(`/messages/${messageId}`, { content: `@**${fullName}**` });
    // The new notification waits for the removal.
    expect(await removed()).toEqual([messageId, other]);
    // In a page whose worker has died, it counts as sent and has waited as well; no longer after so many attempts.
    await set({ state: 'pending', mayBeShown: true });
    expect(await removed()).toEqual([messageId, other]);
    expect(await removed(MAX_BLOCKING_ATTEMPTS)).toEqual([other]);
    await set({ state: 'delivered' });
    expect(await removed()).toEqual([other]);
    await set({ state: 'expired', mayBeShown: false });
    expect(await removed()).toEqual([messageId, other]);
    // The next removal is newer than both.
    await mark([messageId], 'add');
    expect(await removed()).toEqual([messageId]);
  });

  it('names a message that a page notifies again: its place waits for the removal', async () => {
    const messageIds = [await send(), await send()];
    const [messageId, other] = messageIds;
    await people.prisma.$executeRaw`
      UPDATE push_deliveries SET state = 'delivered'
      WHERE notification_id IN (SELECT id FROM push_notifications WHERE user_id = ${reader.id})`;
    await mark(messageIds, 'add');
    const [first] = await deliveries();
    const { realmId } = await people.prisma.user.findUniqueOrThrow({ where: { id: reader.id } });
    const page = await people.prisma.pushPage.create({
      data: {
        id: randomUUID(),
        realmId,
        platform: 'fcm',
        content: { kind: 'message', messageId, trigger: 'mention' },
        expiresAt: new Date(Date.now() + 60_000),
        userIds: [reader.id],
        deviceIds: [first?.deviceId ?? 0],
        states: 'p',
        isClaimed: true,
      },
    });
    expect(await removed()).toEqual(messageIds);
    // No longer after so many.
    expect(await removed(MAX_BLOCKING_ATTEMPTS)).toEqual([other]);
    const closed = { isOpen: false, states: 'd' };
    await people.prisma.pushPage.update({ where: { id: page.id }, data: closed });
    expect(await removed()).toEqual([other]);
  });

  it('is read with the others of the moment in one statement', async () => {
    const messageIds = [await send(), await send(), await send()];
    const { deviceId = 0 } = (await deliveries())[0] ?? {};
    const addressee = {
      userId: reader.id,
      deviceId,
      sequence: Number.MAX_SAFE_INTEGER,
      ...PROMPT,
    };
    await people.prisma.$executeRaw`
      UPDATE push_deliveries SET state = 'delivered'
      WHERE notification_id IN (SELECT id FROM push_notifications WHERE user_id = ${reader.id})`;
    await people.prisma.$executeRaw`
      UPDATE push_deliveries SET state = 'withdrawn', may_be_shown = false
      WHERE notification_id IN (
        SELECT id FROM push_notifications
        WHERE user_id = ${reader.id} AND (content ->> 'messageId')::bigint = ${messageIds[1] ?? 0}
      )`;
    const statements = await countStatements(async () => {
      const reads = messageIds.map((messageId) =>
        sut.read(addressee, { kind: 'remove', messageIds: [messageId] }),
      );
      const [first, second, third] = await Promise.all(reads);
      expect(first).toMatchObject({ messageIds: [messageIds[0]] });
      expect(second).toBeNull();
      expect(third).toMatchObject({ messageIds: [messageIds[2]] });
    });
    expect(statements).toBe(1);
  });
});

describe('A notification that waits', () => {
  let messageId: number;

  beforeEach(async () => {
    const channel = await people.mail.addChannel([sender, reader]);
    messageId = idOf(await sendToChannel(sender, channel));
  });

  const contentOf = async (place: number, late: Partial<typeof PROMPT> = {}) => {
    const notified = (await deliveries())[place];
    const { deviceId = 0, sequence = 0n } = notified ?? {};
    const addressee = {
      userId: reader.id,
      deviceId,
      sequence: Number(sequence),
      ...PROMPT,
      ...late,
    };
    return sut.read(addressee, { kind: 'message', messageId, trigger: 'channel' });
  };

  /** Takes the message back and notifies of it again: the deliveries are the first, the removal and the second. */
  async function notifyAgain(): Promise<void> {
    await mark([messageId], 'add');
    await mark([messageId], 'remove');
    const { fullName } = await people.prisma.user.findUniqueOrThrow({ where: { id: reader.id } });
    await sender.api.patch(`/messages/${messageId}`, { content: `@**${fullName}**` });
  }

  it.each<[string, Progress, boolean]>([
    ['was refused', { state: 'rejected', mayBeShown: false }, true],
    [
      'was refused after an attempt without an answer',
      { state: 'rejected', mayBeShown: true },
      false,
    ],
    ['waits as well', { state: 'pending', mayBeShown: false }, false],
    ['was delivered', { state: 'delivered' }, false],
  ])('is sent if a newer one of its message %s: %#', async (_case, progress, isSent) => {
    await notifyAgain();
    await set(progress);
    expect((await contentOf(0, { attempts: 5 })) !== null).toBe(isSent);
  });

  it('is not sent if its message was taken back and notified again', async () => {
    expect(await contentOf(0, { attempts: 1 })).toMatchObject({ kind: 'message' });
    await mark([messageId], 'add');
    await mark([messageId], 'remove');
    expect(await contentOf(0, { attempts: 1 })).toBeNull();
    await notifyAgain();
    expect(await contentOf(0, { databaseNow: 60_000 })).toBeNull();
    expect(await contentOf(0, { attempts: 1 })).toBeNull();
    expect(await contentOf(0)).toBeNull();
    expect(await contentOf(2, { attempts: 1 })).toMatchObject({ kind: 'message' });
  });
});
