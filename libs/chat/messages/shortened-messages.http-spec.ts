import { beforeAll, describe, expect, it } from '@jest/globals';
import { idOf, success } from '#test/answers';
import { eventually } from '#test/eventually';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let ada: Person;
let channel: { readonly id: number };

beforeAll(async () => {
  const mail = await Correspondence.in(system);
  ada = await mail.organisation.addPerson({ fullName: 'Ada' });
  channel = await mail.addChannel([ada]);
});

const prisma = () => system.database.database.prisma;

/** What a monitoring program sends. */
const long = { topic: `${'é'.repeat(56)}12345`, content: `${'é'.repeat(9980)}${'x'.repeat(9000)}` };
const short = {
  topic: `${'é'.repeat(56)}1...`,
  content: `${'é'.repeat(9980)}\n[message truncated]`,
};
const later = Math.floor(Date.now() / 1000) + 3600;
const stored = (id: number) => prisma().message.findUniqueOrThrow({ where: { id } });

describe('A message with a topic and a content that are too long', () => {
  it('is sent', async () => {
    const reply = await ada.api.post('/messages', { type: 'channel', to: channel.id, ...long });
    expect(await stored(idOf(reply))).toMatchObject(short);
  });

  it('is edited', async () => {
    const id = idOf(await sendToChannel(ada, channel));
    expect(await ada.api.patch(`/messages/${id}`, long)).toMatchObject(success);
    expect(await stored(id)).toMatchObject(short);
  });

  it('is saved as a draft, and edited there', async () => {
    const draft = { type: 'stream', to: [channel.id], ...long };
    const { body } = await ada.api.post('/drafts', { drafts: [draft, { ...draft, content: 'x' }] });
    const [first, second] = body['ids'] as number[];
    expect(await ada.api.patch(`/drafts/${second}`, { draft })).toMatchObject(success);
    for (const id of [first ?? 0, second ?? 0]) {
      expect(await prisma().draft.findUniqueOrThrow({ where: { id } })).toMatchObject(short);
    }
  });

  it('is scheduled, and edited there', async () => {
    const fields = { type: 'channel', to: channel.id, scheduled_delivery_timestamp: later };
    const ids = [];
    for (const given of [long, { topic: 'x', content: 'x' }]) {
      const { body } = await ada.api.post('/scheduled_messages', { ...fields, ...given });
      ids.push(Number(body['scheduled_message_id']));
    }
    const [first = 0, second = 0] = ids;
    expect(await ada.api.patch(`/scheduled_messages/${second}`, long)).toMatchObject(success);
    for (const id of [first, second]) {
      expect(await prisma().scheduledMessage.findUniqueOrThrow({ where: { id } })).toMatchObject(
        short,
      );
    }
  });
});

describe('A topic of full length', () => {
  it('can be resolved and reopened, each with its notice', async () => {
    const topic = 'x'.repeat(60);
    const id = idOf(await sendToChannel(ada, channel, 'Hello', topic));
    const change = (to: string) =>
      ada.api.patch(`/messages/${id}`, { topic: to, propagate_mode: 'change_all' });
    expect(await change(`✔ ${topic}`)).toMatchObject(success);
    const resolved = `✔ ${'x'.repeat(55)}...`;
    expect((await stored(id)).topic).toBe(resolved);
    expect(await change(resolved.slice(2))).toMatchObject(success);
    await eventually(async () => {
      const sent = await prisma().message.findMany({
        where: { channelId: channel.id, topic: resolved.slice(2) },
        orderBy: { id: 'asc' },
      });
      expect(sent.map(({ content }) => content)).toEqual([
        'Hello',
        `@_**Ada|${ada.id}** has marked this topic as resolved.`,
        `@_**Ada|${ada.id}** has marked this topic as unresolved.`,
      ]);
    });
  });
});
