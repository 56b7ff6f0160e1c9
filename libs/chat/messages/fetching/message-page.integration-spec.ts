import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { addReader, rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { matching } from '../narrows/narrow-conditions.js';
import type { NarrowQuery } from '../narrows/narrow-resolver.js';
import { NEWEST } from './anchor.rules.js';
import { MessagePageRepository } from './message-page.repository.js';

const MESSAGES = 20_000;
/** The newest ones. */
const RECEIVED = 5000;
const MATCHES = 400;
/** A message is sent each hour after that. */
const FIRST_SENT_AT = Date.UTC(2024, 0, 1);
const HOUR_MS = 3_600_000;

const stores = useDatabase();
/** With one connection, whose statistics are there at once. */
const database = useConnection(stores);
let reader: NarrowQuery['reader'];
let firstId: number;

beforeAll(async () => {
  const { prisma } = stores.database;
  const { realmId, userId } = await addReader(stores.database);
  const { id: channelId } = await prisma.channel.create({ data: { realmId, name: 'many' } });
  await prisma.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, content, sent_at)
      SELECT ${realmId}, ${userId}, ${channelId},
        CASE WHEN number % ${MESSAGES / MATCHES}::int = 0 THEN 'A needle' ELSE 'Hay ' || number END,
        ${new Date(FIRST_SENT_AT)}::timestamptz + number * interval '1 hour'
      FROM generate_series(1, ${MESSAGES}::int) AS number RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id)
    SELECT ${userId}, id FROM stored ORDER BY id DESC LIMIT ${RECEIVED}::int`;
  await prisma.$executeRaw`ANALYZE messages, user_messages`;
  const first = await prisma.message.findFirstOrThrow({ orderBy: { id: 'asc' } });
  firstId = Number(first.id);
  reader = { userId, realmId, role: roles.member, groups: new Set() };
});

describe(MessagePageRepository.name, () => {
  it('reads a row of the account for each match of a search, and not all rows of the table', async () => {
    const narrow = {
      source: 'received',
      conditions: [matching({ words: 'needle', phrases: [] })],
      isOf: { channel: false, topic: false, person: false },
      participants: [],
      searches: [],
    } as const;
    const range = { anchor: NEWEST, before: 50, after: 0, isAnchorIncluded: true };
    const sut = new MessagePageRepository(database);
    let found = 0;
    const read = await rowsRead(database, 'user_messages', async () => {
      const page = await sut.snapshot((snapshot) => sut.page(snapshot, { reader, narrow }, range));
      found = page.messages.length;
    });
    expect(found).toBe(50);
    expect(read).toBeLessThan(MATCHES);
  });

  it('reads no reactions of other messages', async () => {
    const { prisma } = stores.database;
    // The planner expects that each message has nearly all of them.
    await prisma.$executeRaw`
      INSERT INTO message_reactions (message_id, user_id, emoji_type, emoji_code, emoji_name)
      SELECT ${firstId}, ${reader.userId}, 'unicode_emoji', number::text, number::text
      FROM generate_series(1, 1000) AS number`;
    await prisma.$executeRaw`ANALYZE message_reactions`;
    const narrow = {
      source: 'received',
      conditions: [],
      isOf: { channel: false, topic: false, person: false },
      participants: [],
      searches: [],
    } as const;
    const range = { anchor: NEWEST, before: 50, after: 0, isAnchorIncluded: true };
    const sut = new MessagePageRepository(database);
    const read = await rowsRead(database, 'message_reactions', () =>
      sut.snapshot((snapshot) => sut.page(snapshot, { reader, narrow }, range)),
    );
    expect(read).toBe(0);
  });

  it.each<[string, number, number | null]>([
    ['a date before all messages', -5, 1],
    ['an early date', 20.5, 21],
    ['the time of a message', 16_000, 16_000],
    ['the moment after it', 16_000.0001, 16_001],
    ['a late date', 19_990.5, 19_991],
    ['a date after all messages', 20_001, null],
  ])('reads few messages to find the first one since %s', async (_date, hours, expected) => {
    const narrow = {
      source: 'channel',
      conditions: [],
      isOf: { channel: true, topic: false, person: false },
      participants: [],
      searches: [],
    } as const;
    const date = new Date(FIRST_SENT_AT + hours * HOUR_MS);
    const sut = new MessagePageRepository(database);
    let found = 0;
    const read = await rowsRead(database, 'messages', async () => {
      found = await sut.snapshot((snapshot) => sut.firstSince(snapshot, { reader, narrow }, date));
    });
    expect(found).toBe(expected === null ? NEWEST : firstId + expected - 1);
    expect(read).toBeLessThan(200);
  });
});
