import { beforeEach, describe, expect, it } from '@jest/globals';
import { PresenceRealm } from '#test/presence-realm';
import { useConnection, useDatabase } from '#test/use-fixture';
import { UserPresenceRepository } from './user-presence.repository.js';

/** All versions of their rows fit into one page, so that none waits for the removal of older ones. */
const USERS = 10;
const WRITES = 5;

const UPDATES = `
  SELECT n_tup_upd::int AS updates, n_tup_hot_upd::int AS "inPlace"
  FROM pg_stat_user_tables WHERE relname = 'user_presence'`;

const stores = useDatabase();
/** With one connection, whose statistics are there at once. */
const database = useConnection(stores);
let realm: PresenceRealm;

beforeEach(async () => {
  realm = await PresenceRealm.create(stores.database);
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
