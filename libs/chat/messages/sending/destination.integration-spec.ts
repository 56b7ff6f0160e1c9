import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { rowsRead } from '#test/rows-read';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { DestinationRepository } from './destination.repository.js';

let stores: TestDatabase;
let database: Database;
let sut: DestinationRepository;
let realmId: number;
let channelId: number;

const MANY = 20_000;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1 });
  sut = new DestinationRepository(database);
  const { prisma } = database;
  ({ id: realmId } = await prisma.realm.create({ data: { subdomain: 'many', name: 'Many' } }));
  const { id: senderId } = await prisma.user.create({
    data: {
      realmId,
      deliveryEmail: 'one',
      email: 'one',
      fullName: 'One',
      role: 400,
      apiKeyHash: new Uint8Array(32),
      apiKeySealed: new Uint8Array(),
    },
  });
  ({ id: channelId } = await prisma.channel.create({ data: { realmId, name: 'Channel' } }));
  await prisma.$executeRaw`
    INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
    SELECT ${realmId}, ${senderId}, ${channelId}, 'Topic ' || number % 50, ''
    FROM generate_series(1, ${MANY}::int) AS number`;
  await prisma.$executeRaw`ANALYZE messages`;
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(DestinationRepository.name, () => {
  it('finds a topic without reading all messages of the channel', async () => {
    expect(await sut.hasTopic({ channelId, topic: 'tOPIC 7' })).toBe(true);
    const look = async () =>
      expect(await sut.hasTopic({ channelId, topic: 'Nowhere' })).toBe(false);
    expect(await rowsRead(database, 'messages', look)).toBeLessThan(100);
  });
});
