import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountCountingDatabase,
  createBesideManyAccounts,
  type DemoIds,
  MANY_ACCOUNTS,
} from '#test/other-organisation';
import { VisibleUsersRepository } from './visible-users.repository.js';

describe('Beside a large organisation, PostgreSQL reads few accounts for', () => {
  let world: Awaited<ReturnType<typeof createBesideManyAccounts>>;
  let database: AccountCountingDatabase;
  let demo: DemoIds;

  beforeAll(async () => {
    world = await createBesideManyAccounts();
    ({ database, demo } = world);
  });

  afterAll(() => world?.drop());

  it('a guest who does not see everyone', async () => {
    const read = await database.accountsReadFor(() =>
      new VisibleUsersRepository(database).seesEveryone(demo.realmId, demo.guestId),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the accounts that a guest does not see', async () => {
    const read = await database.accountsReadFor(() =>
      new VisibleUsersRepository(database).hiddenAmong([
        { viewerId: demo.guestId, otherId: demo.userId },
      ]),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the guests that do not see an account', async () => {
    const read = await database.accountsReadFor(() =>
      new VisibleUsersRepository(database).guestsNotSeeing(demo.realmId, [demo.userId]),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the guests that see everyone', async () => {
    const read = await database.accountsReadFor(() =>
      new VisibleUsersRepository(database).guestsSeeingBy(demo.realmId, demo.groupId, database),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });
});
