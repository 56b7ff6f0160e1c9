import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { PresenceRealm } from '#test/presence-realm';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { UserPresenceRepository } from './user-presence.repository.js';

/** All versions of their rows fit into one page, so that none waits for the removal of older ones. */
const USERS = 10;
const WRITES = 5;

const UPDATES = `
  SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS "inPlace"
  FROM pg_stat_user_tables WHERE relname = 'user_presence'`;

let stores: TestDatabase;
/** With one connection, whose statistics are there at once. */
let database: Database;
let realm: PresenceRealm;

beforeAll(async () => {
  stores = await createTestDatabase();
  database = new Database({ url: stores.url, poolSize: 1 });
});

beforeEach(async () => {
  realm = await PresenceRealm.create(stores.database);
});

afterAll(async () => {
  await database?.onApplicationShutdown();
  await stores?.drop();
});

describe(UserPresenceRepository.name, () => {
  it('writes no index when users are seen again', async () => {
    const users = await realm.addUsers(USERS);
    const sut = new UserPresenceRepository(database);
    for (let time = 1; time <= WRITES; time += 1) {
      const entryOf = (userId: number) =>
        ({
          userId,
          activeAt: time,
          idleAt: time,
          hiddenAt: 0,
          id: time,
          joinedAt: 0,
          isDeactivated: false,
        }) as const;
      await sut.save(users.map((userId) => ({ realmId: realm.id, entry: entryOf(userId) })));
    }
    await database.query('flush', 'SELECT pg_stat_force_next_flush()');
    const updates = USERS * (WRITES - 1);
    expect(await database.query('updates', UPDATES)).toEqual([{ updates, inPlace: updates }]);
  });
});
