import { describe, expect, it } from '@jest/globals';
import { untilLockWaits } from '#test/lock-waits';
import { useGateway } from '#test/start-gateway';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const sender = useFixture(() => mail.organisation.addPerson());
const reader = useFixture(() => mail.organisation.addPerson());

const prisma = () => system.database.database.prisma;

describe('The data of a channel', () => {
  it('includes its first message', async () => {
    const channel = await mail.addChannel([sender]);
    const first = await sendToChannel(sender, channel);
    await sendToChannel(sender, channel);
    expect(await prisma().channel.findUnique({ where: { id: channel.id } })).toMatchObject({
      firstMessageId: BigInt(String(first.body['id'])),
    });
  });

  it('includes the number of messages per day, also for concurrent messages', async () => {
    const channel = await mail.addChannel([sender]);
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => sendToChannel(sender, channel)),
    );
    const ids = replies.map(({ body }) => Number(body['id']));
    const sent = await prisma().message.findFirstOrThrow({ where: { channelId: channel.id } });
    expect(await prisma().channelTraffic.findMany({ where: { channelId: channel.id } })).toEqual([
      {
        channelId: channel.id,
        day: new Date(`${sent.sentAt.toISOString().slice(0, 10)}T00:00:00Z`),
        messages: 8,
      },
    ]);
    expect(await prisma().channel.findUnique({ where: { id: channel.id } })).toMatchObject({
      firstMessageId: BigInt(Math.min(...ids)),
    });
  });

  it('does not include direct messages', async () => {
    const before = await prisma().channelTraffic.count();
    await sendToPeople(sender, [reader]);
    expect(await prisma().channelTraffic.count()).toBe(before);
  });
});

describe('A message', () => {
  it('gets its id only after the earlier messages of its channel are committed', async () => {
    const channel = await mail.addChannel([sender]);
    await sendToChannel(sender, channel);
    const sent = await prisma().$transaction(async (transaction) => {
      await transaction.$queryRaw`SELECT 1 FROM channels WHERE id = ${channel.id} FOR NO KEY UPDATE`;
      const waiting = sendToChannel(sender, channel);
      await untilLockWaits(system.database.database);
      const { id } = await transaction.message.create({
        data: {
          realmId: mail.organisation.id,
          senderId: sender.id,
          channelId: channel.id,
          content: 'First',
        },
      });
      return { first: id, waiting };
    });
    const second = await sent.waiting;
    expect(Number(second.body['id'])).toBeGreaterThan(sent.first);
  });

  it('is rejected when its channel is archived while it waits', async () => {
    const channel = await mail.addChannel([sender]);
    await sendToChannel(sender, channel);
    const { waiting } = await prisma().$transaction(async (transaction) => {
      await transaction.channel.update({
        where: { id: channel.id },
        data: { archivedAt: new Date() },
      });
      const sending = sendToChannel(sender, channel);
      await untilLockWaits(system.database.database);
      return { waiting: sending };
    });
    expect(await waiting).toMatchObject({
      status: 400,
      body: { code: 'STREAM_DOES_NOT_EXIST', stream_id: channel.id },
    });
    expect(await prisma().message.count({ where: { channelId: channel.id } })).toBe(1);
  });
});

describe('A conversation', () => {
  it('is the same for each sender, and is created once by concurrent messages', async () => {
    const people = await mail.organisation.addPeople(3);
    const replies = await Promise.all(
      people.flatMap((person) => [sendToPeople(person, people), sendToPeople(person, people)]),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    const ids = people.map(({ id }) => id);
    const conversations = await prisma().directConversation.findMany({
      where: { key: ids.join(',') },
      include: { members: { orderBy: { userId: 'asc' } }, _count: { select: { messages: true } } },
    });
    expect(conversations).toEqual([
      expect.objectContaining({
        realmId: mail.organisation.id,
        members: ids.map((userId) => expect.objectContaining({ userId })),
        _count: { messages: 6 },
      }),
    ]);
  });

  it('is found again with its earlier messages', async () => {
    const [ann, ben] = [await mail.organisation.addPerson(), await mail.organisation.addPerson()];
    await sendToPeople(ann, [ben]);
    const before = await prisma().directConversation.count();
    const { body } = await sendToPeople(ben, [ann]);
    const message = await prisma().message.findUniqueOrThrow({
      where: { id: Number(body['id']) },
      include: { conversation: { include: { _count: { select: { messages: true } } } } },
    });
    expect(message.conversation).toMatchObject({
      key: `${ann.id},${ben.id}`,
      _count: { messages: 2 },
    });
    expect(await prisma().directConversation.count()).toBe(before);
  });

  it('can have more members than an index entry can hold', async () => {
    const crowd = await mail.addCrowd(999);
    const first = await sendToPeople(sender, [...crowd, reader]);
    const second = await sendToPeople(reader, [...crowd, sender]);
    const received = await mail.received(first.body['id']);
    expect(received.size).toBe(1001);
    const messages = await prisma().message.findMany({
      where: { id: { in: [Number(first.body['id']), Number(second.body['id'])] } },
    });
    expect(new Set(messages.map(({ conversationId }) => conversationId)).size).toBe(1);
  });
});
