import { beforeEach, describe, expect, it } from '@jest/globals';
import { Database, type Transaction } from '#platform/database';
import { Metrics } from '#platform/telemetry';
import { rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { FirstMessageRepository } from '../changing/first-message.repository.js';
import { MessageDeletionRepository } from '../deleting/message-deletion.repository.js';
import { ExpiredMessagesRepository } from './expired-messages.repository.js';
import { MessageRetention } from './message-retention.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.now();

const stores = useDatabase();
/** A second one, as another gateway has it. */
const other = useConnection(stores);
let realmId: number;
let userId: number;

const prisma = () => stores.database.prisma;

/** Deletes messages without their events, and records each call. */
class RecordingDeleter {
  readonly calls: { readonly channelId: number | null; readonly ids: readonly number[] }[] = [];

  constructor(private readonly afterDelete: () => Promise<void> = () => Promise.resolve()) {}

  async deleteAll(
    transaction: Transaction,
    _deleterId: number | null,
    { channelId }: { readonly channelId: number | null },
    messages: readonly { readonly id: number }[],
  ): Promise<number> {
    const ids = messages.map(({ id }) => id);
    this.calls.push({ channelId, ids });
    await new MessageDeletionRepository().delete(transaction, ids);
    await new FirstMessageRepository().refresh(transaction, channelId === null ? [] : [channelId]);
    await this.afterDelete();
    return ids.length;
  }
}

const retention = (
  deleter = new RecordingDeleter(),
  database: Database = stores.database,
  metrics = new Metrics(),
) => new MessageRetention(new ExpiredMessagesRepository(database), deleter, database, metrics);

beforeEach(async () => {
  const subdomain = `r${Math.random().toString(36).slice(2)}`;
  ({ id: realmId } = await prisma().realm.create({ data: { subdomain, name: subdomain } }));
  const email = `ada@${subdomain}.test`;
  const identity = { realmId, deliveryEmail: email, email, fullName: 'Ada', role: 400 };
  const key = { apiKeyHash: new Uint8Array(Buffer.from(subdomain.padEnd(32))) };
  const data = { ...identity, ...key, apiKeySealed: new Uint8Array() };
  ({ id: userId } = await prisma().user.create({ data }));
});

/** Adds messages of these ages in days, the oldest first; resolves with their ids. */
async function addMessages(
  place: { readonly channelId: number } | { readonly conversationId: number },
  ages: readonly number[],
): Promise<number[]> {
  const common = { realmId, senderId: userId, content: 'Hello', ...place };
  const rows = await prisma().message.createManyAndReturn({
    data: ages.map((age) => ({ ...common, sentAt: new Date(NOW - age * DAY_MS) })),
    select: { id: true },
  });
  return rows.map(({ id }) => Number(id));
}

/** Adds a channel with messages of these ages in days. */
async function addChannel(messageRetentionDays: number | null, ages: readonly number[]) {
  const name = `channel ${Math.random()}`;
  const { id } = await prisma().channel.create({ data: { realmId, name, messageRetentionDays } });
  const messages = await addMessages({ channelId: id }, ages);
  await stores.database.transaction((transaction) =>
    new FirstMessageRepository().refresh(transaction, [id]),
  );
  return { id, messages };
}

async function addConversation(ages: readonly number[]) {
  const data = { realmId, key: String(Math.random()), members: { create: { userId } } };
  const { id } = await prisma().directConversation.create({ data });
  return { id, messages: await addMessages({ conversationId: id }, ages) };
}

const keep = (messageRetentionDays: number | null) =>
  prisma().realm.update({ where: { id: realmId }, data: { messageRetentionDays } });
const kept = async (): Promise<number[]> => {
  const rows = await prisma().message.findMany({ where: { realmId }, orderBy: { id: 'asc' } });
  return rows.map(({ id }) => Number(id));
};

describe(MessageRetention.name, () => {
  it('deletes the messages of a channel that are older than its retention', async () => {
    const { id, messages } = await addChannel(30, [400, 31, 30.001, 29.999, 1]);
    const deleter = new RecordingDeleter();
    const metrics = new Metrics();
    expect(await retention(deleter, stores.database, metrics).deleteExpired()).toBe(3);
    expect(deleter.calls).toEqual([{ channelId: id, ids: messages.slice(0, 3) }]);
    expect(await kept()).toEqual(messages.slice(3));
    expect(await metrics.read()).toContain('carillon_messages_expired_total 3');
    expect(await retention().deleteExpired()).toBe(0);
  });

  it('keeps all messages without a retention', async () => {
    await addChannel(null, [4000]);
    await addConversation([4000]);
    expect(await retention().deleteExpired()).toBe(0);
  });

  it('takes the retention of the organisation where a channel has none, and for direct messages', async () => {
    await keep(10);
    const { messages: inherited } = await addChannel(null, [11, 9]);
    const { messages: longer } = await addChannel(20, [21, 19]);
    const { messages: unlimited } = await addChannel(-1, [4000]);
    const { messages: direct } = await addConversation([12, 11, 9]);
    expect(await retention().deleteExpired()).toBe(4);
    const expected = [inherited[1], longer[1], ...unlimited, direct[2]];
    expect(await kept()).toEqual(expected);
  });

  it('deletes many messages in small transactions', async () => {
    const { messages } = await addChannel(
      1,
      Array.from({ length: 250 }, () => 2),
    );
    const deleter = new RecordingDeleter();
    expect(await retention(deleter).deleteExpired()).toBe(250);
    expect(deleter.calls.map(({ ids }) => ids.length)).toEqual([100, 100, 50]);
    expect(deleter.calls.flatMap(({ ids }) => ids)).toEqual(messages);
  });

  it('reads only the first messages of a channel', async () => {
    await addChannel(30, [31, ...Array.from({ length: 3000 }, () => 1)]);
    await stores.database.query('statistics', 'ANALYZE messages');
    const work = () => retention(undefined, other).deleteExpired();
    expect(await rowsRead(other, 'messages', work)).toBeLessThan(500);
    expect(await kept()).toHaveLength(3000);
  });

  it('skips the places of another gateway, and of a message that is being stored', async () => {
    const first = await addChannel(1, [3, 3]);
    const second = await addChannel(1, [3]);
    const inOther = new RecordingDeleter();
    const meanwhile = new RecordingDeleter(async () => {
      if (inOther.calls.length === 0) await retention(inOther, other).deleteExpired();
    });
    expect(await retention(meanwhile).deleteExpired()).toBe(2);
    expect(inOther.calls).toEqual([{ channelId: second.id, ids: second.messages }]);
    expect(meanwhile.calls).toEqual([{ channelId: first.id, ids: first.messages }]);
    expect(await kept()).toEqual([]);
  });

  it('goes on after a channel whose messages cannot be deleted, and fails in the end', async () => {
    const { id } = await addChannel(1, [3]);
    await addChannel(1, [3]);
    const { messages: young } = await addChannel(1, [0.5]);
    await keep(1);
    await addConversation([3]);
    const broken: RecordingDeleter = new RecordingDeleter(() => {
      const isBroken = broken.calls.at(-1)?.channelId === id;
      return isBroken ? Promise.reject(new Error('too many')) : Promise.resolve();
    });
    await expect(retention(broken).deleteExpired()).rejects.toThrow(
      `Messages of 1 channel or conversation were not deleted; the first is channel ${id}: too many`,
    );
    expect(await kept()).toEqual([expect.any(Number), ...young]);
    expect(await retention().deleteExpired()).toBe(1);
  });

  it('ends after the current slice when the program stops', async () => {
    await addChannel(
      1,
      Array.from({ length: 250 }, () => 2),
    );
    let sut: MessageRetention | undefined;
    const deleter = new RecordingDeleter(() => sut?.onApplicationShutdown() ?? Promise.resolve());
    sut = retention(deleter);
    expect(await sut.deleteExpired()).toBe(100);
    expect(await kept()).toHaveLength(150);
    expect(await retention().deleteExpired()).toBe(150);
  });
});
