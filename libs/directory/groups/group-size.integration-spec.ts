import { describe, expect, it } from '@jest/globals';
import { limitErrors } from '#platform/contracts';
import { addCrowdedRealm } from '#test/rows-read';
import { useDatabase } from '#test/use-fixture';
import { requireGroupMembers } from './group-size.repository.js';

const stores = useDatabase();

describe(requireGroupMembers.name, () => {
  it('counts the direct members of all groups, with those that hold a permission', async () => {
    const { database } = stores;
    const { prisma } = database;
    const { id: realmId } = await addCrowdedRealm(database);
    const people = await prisma.user.findMany({ where: { realmId }, take: 2 });
    for (const name of ['own', null]) {
      const { id: groupId } = await prisma.userGroup.create({ data: { realmId, name } });
      await prisma.userGroupMember.createMany({
        data: people.map(({ id: userId }) => ({ groupId, userId })),
      });
    }
    const check = (limit: number) =>
      database.transaction((transaction) => requireGroupMembers(transaction, realmId, limit));
    await check(4);
    const refusal = { error: limitErrors.organizationLimitReached };
    await expect(check(3)).rejects.toMatchObject(refusal);
  });
});
