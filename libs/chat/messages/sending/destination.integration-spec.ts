import { beforeAll, describe, expect, it } from '@jest/globals';
import { rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { DestinationRepository } from './destination.repository.js';

const stores = useDatabase();
const database = useConnection(stores);
const sut = new DestinationRepository(database);
let realmId: number;
let channelId: number;

const MANY = 20_000;

beforeAll(async () => {
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

describe(DestinationRepository.name, () => {
  it('finds a topic without reading all messages of the channel', async () => {
    expect(await sut.hasTopic({ channelId, topic: 'tOPIC 7' })).toBe(true);
    const look = async () =>
      expect(await sut.hasTopic({ channelId, topic: 'Nowhere' })).toBe(false);
    expect(await rowsRead(database, 'messages', look)).toBeLessThan(100);
  });
});
