import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountCountingDatabase,
  createBesideManyAccounts,
  type DemoIds,
  MANY_ACCOUNTS,
} from '#test/other-organisation';
import { AccountGroupsRepository } from './account-groups.repository.js';
import { GroupMemberRepository } from './group-member.repository.js';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { UserGroupRepository } from './user-group.repository.js';

describe('Beside a large organisation, PostgreSQL reads few accounts for', () => {
  let world: Awaited<ReturnType<typeof createBesideManyAccounts>>;
  let database: AccountCountingDatabase;
  let demo: DemoIds;

  beforeAll(async () => {
    world = await createBesideManyAccounts();
    ({ database, demo } = world);
  });

  afterAll(() => world?.drop());

  it('the groups of an account', async () => {
    const read = await database.accountsReadFor(() =>
      new GroupMembershipRepository(database).groupsOf(demo.userId),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the groups that name accounts', async () => {
    const read = await database.accountsReadFor(() =>
      new AccountGroupsRepository(database).groupsOf(demo.realmId, [demo.userId]),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the members of a group', async () => {
    const read = await database.accountsReadFor(() =>
      new GroupMemberRepository(database).members({ ...demo, isDirectOnly: false }),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });

  it('the groups of an organisation', async () => {
    const read = await database.accountsReadFor(() =>
      new UserGroupRepository(database).list(demo.realmId, true),
    );
    expect(read).toBeLessThan(MANY_ACCOUNTS);
  });
});
