import { describe, expect, it } from '@jest/globals';
import { countStatements } from '#test/count-statements';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { NotifiedPeople } from '#test/message-notifications-world';
import { sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const people = useFixture(() => NotifiedPeople.in(system));
const sender = useFixture(() => people.add());

const flag = (person: Person, messages: readonly unknown[], op = 'add', name = 'read') =>
  person.api.post('/messages/flags', { messages, op, flag: name });

const mark = (person: Person, channel: { readonly id: number }) =>
  person.api.post('/mark_stream_as_read', { stream_id: channel.id });

const mute = (person: Person, { id }: Person) => person.api.post(`/users/me/muted_users/${id}`);

/** A direct message, and whom it was notified on the phones of. */
async function notified(...readers: Person[]): Promise<number> {
  return Number((await sendToPeople(sender, readers)).body['id']);
}

const removalsOf = async (person: Person) =>
  (await people.of(person)).filter(({ kind }) => kind === 'remove');

const removal = (...messageIds: number[]) =>
  expect.objectContaining({ kind: 'remove', content: { kind: 'remove', messageIds } });

describe('Reading a notified message', () => {
  it('removes it from all phones of its reader only', async () => {
    const [reader, other] = [await people.add(), await people.add()];
    await people.addPhone(reader, { platform: 'apns' });
    const messageId = await notified(reader, other);
    expect(await flag(reader, [messageId])).toMatchObject({
      status: 200,
      body: { messages: [messageId] },
    });
    const pending = { mayWait: true, state: 'pending', fingerprint: expect.any(String) };
    expect(await removalsOf(reader)).toEqual([
      {
        kind: 'remove',
        content: { kind: 'remove', messageIds: [messageId] },
        deliveries: [
          { ...pending, platform: 'fcm' },
          { ...pending, platform: 'apns' },
        ],
      },
    ]);
    expect(await people.onScreenOf(reader)).toEqual([]);
    expect(await people.onScreenOf(other)).toEqual([messageId]);
    expect(await removalsOf(other)).toEqual([]);
  });

  it('removes it once, also when it is read again or marked as unread', async () => {
    const reader = await people.add();
    const messageId = await notified(reader);
    await flag(reader, [messageId]);
    await flag(reader, [messageId]);
    await flag(reader, [messageId], 'remove');
    await flag(reader, [messageId]);
    expect(await removalsOf(reader)).toHaveLength(1);
  });

  it('removes it once for concurrent reads', async () => {
    const reader = await people.add();
    const messageIds = [await notified(reader), await notified(reader)];
    const replies = await Promise.all(Array.from({ length: 8 }, () => flag(reader, messageIds)));
    expect(replies.map(({ body }) => body['messages'])).toEqual(replies.map(() => messageIds));
    expect(await removalsOf(reader)).toEqual([removal(...messageIds)]);
  });

  it('is independent of other flags', async () => {
    const reader = await people.add();
    const messageId = await notified(reader);
    await flag(reader, [messageId], 'add', 'starred');
    expect(await removalsOf(reader)).toEqual([]);
    expect(await people.onScreenOf(reader)).toEqual([messageId]);
  });

  it('removes several messages of a channel at once', async () => {
    const reader = await people.add({ isPushedChannels: true });
    const channel = await people.mail.addChannel([sender, reader]);
    const elsewhere = await people.mail.addChannel([sender, reader]);
    const ids = [];
    for (const place of [channel, elsewhere, channel]) {
      ids.push(Number((await sendToChannel(sender, place)).body['id']));
    }
    const [first = 0, other = 0, last = 0] = ids;
    expect(await mark(reader, channel)).toMatchObject({ status: 200 });
    expect(await removalsOf(reader)).toEqual([removal(first, last)]);
    expect(await people.onScreenOf(reader)).toEqual([other]);
  });

  it('removes all of many, in as many removals as needed', async () => {
    const reader = await people.add({ isPushedChannels: true });
    const channel = await people.mail.addChannel([sender, reader]);
    const { id: oldest } = await people.prisma.message.create({
      data: {
        realmId: people.mail.organisation.id,
        senderId: sender.id,
        channelId: channel.id,
        content: 'x',
      },
    });
    const messages = await people.prisma.message.createManyAndReturn({
      data: Array.from({ length: 250 }, () => ({
        realmId: people.mail.organisation.id,
        senderId: sender.id,
        channelId: channel.id,
        content: 'x',
      })),
      select: { id: true },
    });
    await people.prisma.userMessage.createMany({
      data: [oldest, ...messages.map(({ id }) => id)].map((messageId) => ({
        userId: reader.id,
        messageId,
        isPushed: true,
      })),
    });
    await mark(reader, channel);
    const ids = messages.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
    const removals = await removalsOf(reader);
    expect(removals).toHaveLength(2);
    expect(removals).toContainEqual(removal(Number(oldest), ...ids.slice(0, 199)));
    expect(removals).toContainEqual(removal(...ids.slice(199)));
    expect(await people.onScreenOf(reader)).toEqual([]);
  });

  it('is sent after the notification that it removes', async () => {
    const reader = await people.add();
    await flag(reader, [await notified(reader)]);
    expect((await people.of(reader)).map(({ kind }) => kind)).toEqual(['message', 'remove']);
  });

  it('does nothing without a phone of the current key', async () => {
    const reader = await people.add();
    const messageId = await notified(reader);
    await people.prisma.pushDevice.deleteMany({ where: { userId: reader.id } });
    expect(await flag(reader, [messageId])).toMatchObject({ status: 200 });
    expect(await removalsOf(reader)).toEqual([]);
    expect(await people.onScreenOf(reader)).toEqual([]);
  });

  it('takes one statement more for shown messages', async () => {
    const reader = await people.add();
    await people.wasActive(reader, 1);
    const unseen = [await notified(reader), await notified(reader)];
    await flag(reader, []);
    expect(await countStatements(() => flag(reader, unseen))).toBe(4);
    const away = await people.add();
    const shown = [await notified(away), await notified(away), await notified(away)];
    await flag(away, []);
    expect(await countStatements(() => flag(away, shown))).toBe(5);
  });
});

describe('Muting an account', () => {
  it('removes its messages from the screens, and nothing else', async () => {
    const [reader, other] = [await people.add(), await people.add()];
    const fromSender = [await notified(reader), await notified(reader)];
    const fromOther = Number((await sendToPeople(other, [reader])).body['id']);
    expect(await mute(reader, sender)).toMatchObject({ status: 200 });
    expect(await removalsOf(reader)).toEqual([removal(...fromSender)]);
    expect(await people.onScreenOf(reader)).toEqual([fromOther]);
  });

  it('leaves none of its messages on a screen, also of concurrent ones', async () => {
    for (let round = 0; round < 10; round += 1) {
      const reader = await people.add();
      await Promise.all([
        sendToPeople(sender, [reader]),
        mute(reader, sender),
        sendToPeople(sender, [reader]),
      ]);
      expect(await people.onScreenOf(reader)).toEqual([]);
      const messages = (await people.of(reader)).filter(({ kind }) => kind === 'message');
      const removed = (await removalsOf(reader)).map(({ content }) => content);
      const removedIds = removed.flatMap(
        (content) => (content as { messageIds: number[] }).messageIds,
      );
      const messageIds = messages.map(
        ({ content }) => (content as { messageId: number }).messageId,
      );
      expect(removedIds.toSorted()).toEqual(messageIds.toSorted());
    }
  });
});
