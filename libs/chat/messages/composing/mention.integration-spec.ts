import { beforeAll, describe, expect, it } from '@jest/globals';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { MentionRepository } from './mention.repository.js';

const stores = useDatabase();
const database = useConnection(stores);
let realmId: number;

beforeAll(async () => {
  ({ id: realmId } = await addCrowdedRealm(database));
});

describe(MentionRepository.name, () => {
  it('reads only the accounts with the given names, in a large organisation', async () => {
    const sut = new MentionRepository(database);
    const names = { users: [{ fullName: 'cROWD 77', id: undefined }], groups: [], channels: [] };
    const author = { userId: 1, realmId };
    expect(await sut.find(author, names)).toMatchObject([
      { kind: 'user', name: 'cROWD 77', ownName: 'Crowd 77' },
    ]);
    expect(await rowsRead(database, 'users', () => sut.find(author, names))).toBeLessThan(100);
  });

  it('reads at most 10,000 messages of a topic and their reactions for its participants', async () => {
    const { prisma } = stores.database;
    const [old, recent, reactor] = await prisma.user.findMany({
      where: { realmId },
      orderBy: { id: 'asc' },
      take: 3,
    });
    if (old === undefined || recent === undefined || reactor === undefined) throw new Error();
    const { id: channelId } = await prisma.channel.create({ data: { realmId, name: 'long' } });
    await prisma.$executeRaw`
      WITH stored AS (
        INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
        SELECT ${realmId}, CASE WHEN number <= 100 THEN ${old.id}::int ELSE ${recent.id}::int END, ${channelId},
          CASE WHEN number % 2 = 0 THEN 'Long' ELSE 'Other' END, 'Hello'
        FROM generate_series(1, 24000) AS number ORDER BY number RETURNING id, topic
      )
      INSERT INTO message_reactions (message_id, user_id, emoji_type, emoji_code, emoji_name)
      SELECT id, CASE topic WHEN 'Long' THEN ${reactor.id}::int ELSE ${old.id}::int END, 'unicode_emoji', '1f44d', '+1'
      FROM stored`;
    await prisma.$executeRaw`ANALYZE messages, message_reactions`;
    const sut = new MentionRepository(database);
    let found: number[] = [];
    const read = async () => {
      found = await sut.participantsOf({ channelId, topic: 'LONG' });
    };
    expect(await rowsRead(database, 'messages', read)).toBeLessThanOrEqual(10_000);
    expect(await rowsRead(database, 'message_reactions', read)).toBeLessThanOrEqual(10_000);
    expect(found.toSorted()).toEqual([recent.id, reactor.id].toSorted());
  });
});
