import { beforeAll, describe, expect, it } from '@jest/globals';
import { addCrowdedRealm, rowsRead } from '#test/rows-read';
import { useConnection, useDatabase } from '#test/use-fixture';
import { GroupMemberRepository } from './group-member.repository.js';
import { createSystemGroups, type SystemGroupIds } from './system-group.repository.js';

const stores = useDatabase();
/** With one connection, whose statistics are there at once. */
const database = useConnection(stores);
const sut = new GroupMemberRepository(database);
let realmId: number;
let groups: SystemGroupIds;
let ownerId: number;
let memberId: number;

beforeAll(async () => {
  realmId = (await addCrowdedRealm(database)).id;
  groups = await database.transaction((transaction) => createSystemGroups(transaction, realmId));
  const { prisma } = stores.database;
  // The last account of a role: a search through all of them would not end early.
  const idOf = async (role: number) =>
    (await prisma.user.findFirstOrThrow({ where: { realmId, role }, orderBy: { id: 'desc' } })).id;
  [ownerId, memberId] = [await idOf(100), await idOf(400)];
});

describe(GroupMemberRepository.name, () => {
  const isMember = (groupId: number, userId: number, isDirectOnly = false) =>
    sut.isMember({ realmId, groupIds: [groupId], isDirectOnly }, userId);

  it('finds whether an account is a member from its role', async () => {
    const { 'role:owners': owners, 'role:members': members, 'role:everyone': everyone } = groups;
    expect(await isMember(members, memberId, true)).toBe(true);
    expect(await isMember(everyone, memberId)).toBe(true);
    expect(await isMember(everyone, memberId, true)).toBe(false);
    expect(await isMember(owners, memberId)).toBe(false);
    expect(await isMember(members, ownerId)).toBe(true);
    expect(await isMember(members, ownerId, true)).toBe(false);
  });

  it('finds neither a deactivated account nor one of another organisation', async () => {
    const { prisma } = stores.database;
    const setActive = (isActive: boolean) =>
      prisma.user.update({ where: { id: ownerId }, data: { isActive } });
    await setActive(false);
    expect(await isMember(groups['role:owners'], ownerId)).toBe(false);
    await setActive(true);
    const elsewhere = {
      realmId: realmId + 1,
      groupIds: [groups['role:owners']],
      isDirectOnly: false,
    };
    expect(await sut.isMember(elsewhere, ownerId)).toBe(false);
  });

  it('reads a few rows in an organisation with many accounts', async () => {
    const ask = () => isMember(groups['role:everyone'], memberId);
    await ask();
    expect(await rowsRead(database, 'users', ask)).toBeLessThan(10);
  });
});
