import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MessageErasure } from '#directory/users';
import { type Transaction } from '#platform/database';
import { rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { ErasedMessageRepository } from './erased-message.repository.js';

const sut = new ErasedMessageRepository();
const SENT_AT = new Date('2026-01-01T00:00:00Z');
const LATER = new Date('2026-01-02T00:00:00Z');

const stores = useDatabase();
/** A second one, whose statements are counted. */
const counted = useConnection(stores);
let realmId: number;
let userId: number;
let open: number;
let closed: number;
let conversationId: number;

const prisma = () => stores.database.prisma;

beforeEach(async () => {
  const subdomain = `r${Math.random().toString(36).slice(2)}`;
  ({ id: realmId } = await prisma().realm.create({ data: { subdomain, name: subdomain } }));
  const email = `ada@${subdomain}.test`;
  const identity = { realmId, deliveryEmail: email, email, fullName: 'Ada', role: 400 };
  const key = { apiKeyHash: new Uint8Array(Buffer.from(subdomain.padEnd(32))) };
  const data = { ...identity, ...key, apiKeySealed: new Uint8Array() };
  ({ id: userId } = await prisma().user.create({ data }));
  ({ id: open } = await prisma().channel.create({ data: { realmId, name: 'open' } }));
  const hidden = { realmId, name: 'closed', isPrivate: true };
  ({ id: closed } = await prisma().channel.create({ data: hidden }));
  const conversation = { realmId, key: subdomain, members: { create: { userId } } };
  ({ id: conversationId } = await prisma().directConversation.create({ data: conversation }));
});

type Place = { readonly channelId: number } | { readonly conversationId: number };

/** Adds messages to places, one after the other; resolves with their ids. */
async function add(places: readonly Place[], sentAt = SENT_AT): Promise<number[]> {
  const rows = await prisma().message.createManyAndReturn({
    data: places.map((place) => ({
      realmId,
      senderId: userId,
      content: 'Hello',
      sentAt,
      ...place,
    })),
    select: { id: true },
  });
  return rows.map(({ id }) => Number(id));
}

const erasure = (wanted: Partial<MessageErasure>): MessageErasure => ({
  userId,
  realmId,
  publicChannelsUntil: null,
  privateChannelsUntil: null,
  conversationsUntil: null,
  afterId: 0,
  ...wanted,
});

const within = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
  stores.database.transaction(work);

describe(ErasedMessageRepository.name, () => {
  it('finds the first message of a wanted kind, up to the time of this kind', async () => {
    const places = [{ channelId: open }, { channelId: closed }, { conversationId }];
    const [first, second, third] = await add(places);
    await add(places, LATER);
    const found = (wanted: Partial<MessageErasure>) =>
      within(async (transaction) => (await sut.first(transaction, erasure(wanted)))?.id);
    expect(await found({ publicChannelsUntil: SENT_AT })).toBe(first);
    expect(await found({ privateChannelsUntil: SENT_AT })).toBe(second);
    expect(await found({ conversationsUntil: SENT_AT })).toBe(third);
    expect(await found({ publicChannelsUntil: SENT_AT, conversationsUntil: LATER })).toBe(first);
    expect(await found({})).toBeUndefined();
    expect(await found({ publicChannelsUntil: SENT_AT, afterId: first ?? 0 })).toBeUndefined();
  });

  it('locks the messages of a place together, however they alternate with others', async () => {
    const places = Array.from({ length: 6 }, (_, index) =>
      index % 2 === 0 ? { channelId: open } : { conversationId },
    );
    const ids = await add(places);
    await add([{ channelId: open }], LATER);
    const wanted = erasure({ publicChannelsUntil: SENT_AT, conversationsUntil: LATER });
    const locked = await within(async (transaction) => {
      const first = await sut.first(transaction, wanted);
      return first === null ? [] : sut.lock(transaction, wanted, first, 100);
    });
    expect(locked.map(({ id }) => id)).toEqual([ids[0], ids[2], ids[4]]);
  });

  it('reads few of the messages that stay, and continues behind them', async () => {
    const ids = await add(Array.from({ length: 3000 }, () => ({ channelId: open })));
    await add([{ conversationId }]);
    await stores.database.query('statistics', 'ANALYZE messages');
    const wanted = erasure({ conversationsUntil: LATER });
    let last: number | null = null;
    const work = () =>
      counted.transaction(async (transaction) => {
        expect(await sut.first(transaction, wanted)).toBeNull();
        last = await sut.last(transaction, wanted);
      });
    expect(await rowsRead(counted, 'messages', work)).toBeLessThanOrEqual(2500);
    expect(last).toBe(ids[999]);
    const end = erasure({ afterId: Number.MAX_SAFE_INTEGER });
    expect(await within((transaction) => sut.last(transaction, end))).toBeNull();
  });
});
