import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#platform/contracts';
import { Database } from '#platform/database';
import { rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { matching } from '../narrows/narrow-conditions.js';
import type { ResolvedNarrow } from '../narrows/narrow-resolver.js';
import { NEWEST } from './anchor.rules.js';
import { MessagePageRepository } from './message-page.repository.js';

const MESSAGES = 20_000;
/** The newest ones. */
const RECEIVED = 5000;
const MATCHES = 400;

let stores: TestDatabase;
/** With one connection, whose statistics are there at once. */
let database: Database;
let reader: ResolvedNarrow['reader'];

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1 });
  const { prisma } = stores.database;
  const { id: realmId } = await prisma.realm.create({ data: { subdomain: 'many', name: 'Many' } });
  const { id: userId } = await prisma.user.create({
    data: {
      realmId,
      deliveryEmail: 'reader@many.test',
      email: 'reader@many.test',
      fullName: 'Reader',
      role: roles.member,
      apiKeyHash: new Uint8Array([1]),
      apiKeySealed: new Uint8Array(),
    },
  });
  const { id: channelId } = await prisma.channel.create({ data: { realmId, name: 'many' } });
  await prisma.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (realm_id, sender_id, channel_id, content)
      SELECT ${realmId}, ${userId}, ${channelId},
        CASE WHEN number % ${MESSAGES / MATCHES}::int = 0 THEN 'A needle' ELSE 'Hay ' || number END
      FROM generate_series(1, ${MESSAGES}::int) AS number RETURNING id
    )
    INSERT INTO user_messages (user_id, message_id)
    SELECT ${userId}, id FROM stored ORDER BY id DESC LIMIT ${RECEIVED}::int`;
  await prisma.$executeRaw`ANALYZE messages, user_messages`;
  reader = { userId, realmId, role: roles.member, groups: new Set() };
}, 60_000);

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
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
});
