import { beforeAll, describe, expect, it } from '@jest/globals';
import { badRequest } from '#test/answers';
import { Correspondence } from '#test/messages-organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

/** As many of them as fit into a page of 4 MB, on one side or on each of two sides. */
const FITTING = 39;
const FITTING_HALF = 19;
const MESSAGES = 400;

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
/** In ascending order, each with 100,000 characters of HTML. */
let ids: number[];
let narrow: unknown;

beforeAll(async () => {
  const channel = await mail.addChannel([ada]);
  narrow = [{ operator: 'channel', operand: channel.id }];
  ids = await addMessages(channel.id, MESSAGES);
});

async function addMessages(channelId: number, count: number): Promise<number[]> {
  const rows = await system.database.database.prisma.message.createManyAndReturn({
    data: Array.from({ length: count }, () => ({
      realmId: mail.organisation.id,
      senderId: ada.id,
      channelId,
      content: 'Hello',
      rendered: 'a'.repeat(100_000),
    })),
    select: { id: true },
  });
  return rows.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
}

interface Page {
  readonly ids: number[];
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
}

async function page(query: object): Promise<Page> {
  const { status, body } = await ada.api.get('/messages', {
    num_before: 0,
    num_after: 0,
    narrow,
    ...query,
  });
  expect({ status, msg: body['msg'] }).toEqual({ status: 200, msg: '' });
  const { messages, found_anchor, found_oldest, found_newest } = body as unknown as Page & {
    readonly messages: { readonly id: number }[];
  };
  return { ids: messages.map(({ id }) => id), found_anchor, found_oldest, found_newest };
}

const at = (index: number): number => ids[index] ?? 0;

describe('GET /messages with more than 4 MB', () => {
  it('returns the nearest messages before an anchor', async () => {
    expect(await page({ anchor: 'newest', num_before: 1000 })).toEqual({
      ids: ids.slice(-FITTING),
      found_anchor: false,
      found_oldest: false,
      found_newest: true,
    });
    expect(await page({ anchor: at(300), num_before: 1000 })).toEqual({
      ids: ids.slice(300 - FITTING, 301),
      found_anchor: true,
      found_oldest: false,
      found_newest: false,
    });
  });

  it('returns the nearest messages after an anchor', async () => {
    expect(await page({ anchor: 'oldest', num_after: 1000 })).toEqual({
      ids: ids.slice(0, FITTING),
      found_anchor: false,
      found_oldest: true,
      found_newest: false,
    });
  });

  it('cuts each side of an anchor on its own', async () => {
    expect(await page({ anchor: at(200), num_before: 500, num_after: 500 })).toEqual({
      ids: ids.slice(200 - FITTING_HALF, 200 + FITTING_HALF + 1),
      found_anchor: true,
      found_oldest: false,
      found_newest: false,
    });
    expect(await page({ anchor: at(10), num_before: 500, num_after: 500 })).toEqual({
      ids: ids.slice(0, 10 + FITTING_HALF + 1),
      found_anchor: true,
      found_oldest: true,
      found_newest: false,
    });
    expect(await page({ anchor: at(390), num_before: 5, num_after: 500 })).toEqual({
      ids: ids.slice(385),
      found_anchor: true,
      found_oldest: false,
      found_newest: true,
    });
  });

  it.each([true, false])(
    'gives every message once to a client that continues (include_anchor: %s)',
    async (include_anchor) => {
      const seen: number[] = [];
      let next = await page({ anchor: 'newest', num_before: 1000 });
      for (let pages = 1; pages < 20; pages += 1) {
        seen.unshift(...next.ids.filter((id) => id !== seen[0]));
        if (next.found_oldest) break;
        next = await page({ anchor: seen[0], num_before: 1000, include_anchor });
      }
      expect(seen).toEqual(ids);
    },
  );

  it('returns the nearest message on each side however large it is', async () => {
    const channel = await mail.addChannel([ada]);
    const large = await addMessages(channel.id, 5);
    const { prisma } = system.database.database;
    await prisma.$executeRaw`
      UPDATE messages SET rendered = repeat('a', 4500000) WHERE channel_id = ${channel.id}`;
    const inChannel = { narrow: [{ operator: 'channel', operand: channel.id }] };
    const both = { anchor: large[2], num_before: 2, num_after: 2, ...inChannel };
    expect((await page(both)).ids).toEqual(large.slice(1, 4));
    const before = await page({ anchor: large[2], num_before: 2, ...inChannel });
    expect(before).toMatchObject({ ids: large.slice(1, 3), found_oldest: false });
  });

  it('counts everything that is read for a message', async () => {
    const channel = await mail.addChannel([ada]);
    const added = await addMessages(channel.id, 3);
    const { prisma } = system.database.database;
    const text = (bytes: number) => 'a'.repeat(bytes);
    const [messageId = 0] = added;
    const userId = ada.id;
    await prisma.messageEdit.create({
      data: { messageId, userId, editedAt: new Date(), prevContent: text(1_400_000) },
    });
    await prisma.submessage.create({
      data: { messageId, senderId: userId, type: 'widget', content: text(1_400_000) },
    });
    const changes = { content: text(1_300_000), lastEditedAt: new Date() };
    await prisma.message.update({ where: { id: messageId }, data: changes });
    const range = { anchor: 'newest', num_before: 10 };
    const inChannel = { narrow: [{ operator: 'channel', operand: channel.id }] };
    expect((await page({ ...range, ...inChannel })).ids).toEqual(added.slice(1));
  });

  it('counts the escapes of JSON, and the matches of a search', async () => {
    const channel = await mail.addChannel([ada]);
    const { prisma } = system.database.database;
    const controls = '\u0001'.repeat(10_000);
    const inChannel = { operator: 'channel', operand: channel.id };
    const bytesOf = async (terms: readonly object[]) => {
      const query = { anchor: 'newest', num_before: 1000, num_after: 0, narrow: terms };
      const { text, body } = await ada.api.get('/messages', query);
      expect(body).toMatchObject({ found_oldest: false, found_newest: true });
      return Buffer.byteLength(text);
    };
    const added = await addMessages(channel.id, 100);
    const places = { channelId: channel.id };
    const stored = { content: `needle ${controls}`, rendered: `<p>needle ${controls}</p>` };
    await prisma.message.updateMany({ where: places, data: stored });
    const edit = { userId: ada.id, editedAt: new Date(), prevContent: controls };
    await prisma.messageEdit.createMany({
      data: added.map((messageId) => ({ ...edit, messageId })),
    });
    await prisma.message.updateMany({ where: places, data: { lastEditedAt: new Date() } });
    expect(await bytesOf([inChannel])).toBeLessThan(4_000_000);
    const search = { operator: 'search', operand: 'needle' };
    expect(await bytesOf([inChannel, search])).toBeLessThan(4_000_000);
    const words = 'needle '.repeat(1400);
    const many = { content: words, rendered: `<p>${words}</p>` };
    await prisma.message.updateMany({ where: places, data: many });
    expect(await bytesOf([inChannel, search])).toBeLessThan(4_000_000);
  });

  it('refuses too many messages by their ids', async () => {
    const refusal = badRequest(`Too many messages requested (maximum ${FITTING}).`);
    expect(await ada.api.get('/messages', { message_ids: ids })).toMatchObject(refusal);
    const match = (msg_ids: readonly number[]) =>
      ada.api.get('/messages/matches_narrow', { msg_ids, narrow });
    expect(await match(ids)).toMatchObject(refusal);
    expect((await match(ids.slice(0, FITTING))).status).toBe(200);
    const { body } = await ada.api.get('/messages', { message_ids: ids.slice(0, FITTING) });
    expect(body['messages']).toHaveLength(FITTING);
  });
});
