import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { GroupAccess } from './group-access.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { SubgroupsService } from './subgroups.service.js';
import type { UserGroupEvents } from './user-groups.events.js';

const GROUP = 5;
const OWN_GROUP = 6;
const FOREIGN_GROUP = 7;

const caller: Caller = {
  userId: 1,
  deliveryEmail: 'alice@chat.test',
  role: roles.member,
  isBot: false,
  isPresenceEnabled: true,
  joinedAt: 1000,
  keyGeneration: 1,
  realm: { id: 3, subdomain: '', isPresenceDisabled: false },
};

/** The groups whose members a change reads. */
function readBy(change: { readonly add: number[]; readonly remove: number[] }) {
  const read: number[] = [];
  const rows: Readonly<Record<string, object[]>> = {
    state_of_subgroups: [{ id: OWN_GROUP, isDeactivated: false, isSubgroup: false }],
    would_create_cycle: [{ wouldCreateCycle: false }],
  };
  const transaction = { query: (name: string) => Promise.resolve(rows[name] ?? []) };
  const access = {
    lock: () =>
      Promise.resolve({
        group: { deactivatedAt: null },
        authority: { mayAdd: true, mayRemove: true },
      }),
  };
  const events: Pick<UserGroupEvents, 'duringMembershipChange' | 'subgroupsChanged'> = {
    duringMembershipChange: async (_transaction, { concerned }, work) => {
      read.push(...concerned.membersOf);
      await work();
    },
    subgroupsChanged: () => undefined,
  };
  const sut = new SubgroupsService(
    // SubgroupsService calls only these methods.
    access as unknown as GroupAccess,
    new SubgroupRepository(),
    events as UserGroupEvents,
  );
  const changed = sut.change(transaction as unknown as Transaction, caller, GROUP, change);
  return { changed, read };
}

describe(SubgroupsService.name, () => {
  it('reads the members of the groups that it adds', async () => {
    const { changed, read } = readBy({ add: [OWN_GROUP], remove: [] });
    await changed;
    expect(read).toEqual([OWN_GROUP]);
  });

  it('reads no members for a change that it refuses: the groups may be of other organisations', async () => {
    const { changed, read } = readBy({ add: [OWN_GROUP, FOREIGN_GROUP], remove: [] });
    await expect(changed).rejects.toThrow(`Invalid user group ID: ${FOREIGN_GROUP}`);
    expect(read).toEqual([]);
  });
});
