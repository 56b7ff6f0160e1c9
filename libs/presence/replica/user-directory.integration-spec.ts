import { describe, expect, it } from '@jest/globals';
import { PresenceRealm } from '#test/presence-realm';
import { useDatabase } from '#test/use-fixture';
import { UserDirectory } from './user-directory.js';
import { UserDirectoryRepository } from './user-directory.repository.js';

const stores = useDatabase();

describe(UserDirectory.name, () => {
  it.each([
    ['ahead of', 600_000],
    ['behind', -600_000],
  ])(
    'learns of a change at once, although the clock is %s that of PostgreSQL',
    async (_, errorMs) => {
      const realm = await PresenceRealm.create(stores.database);
      const id = await realm.addUser();
      let nowMs = Date.now() + errorMs;
      const source = new UserDirectoryRepository(stores.database);
      const sut = new UserDirectory(
        realm.id,
        source,
        () => nowMs,
        async () => undefined,
      );
      await sut.ready(id);
      expect(sut.get(id)).toMatchObject({ userId: id, isActive: true });
      const deactivate = 'UPDATE users SET is_active = false, updated_at = now() WHERE id = $1';
      await stores.database.query('deactivate', deactivate, [id]);
      nowMs += 3000;
      // An unknown account waits for the read.
      await sut.ready(0);
      expect([...sut.deactivated]).toEqual([id]);
    },
  );
});
