import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import type { PresenceService } from '#presence/rpc';
import { parseAnswer, PresenceRealm, usersIn } from '#test/presence-realm';
import { useFixture } from '#test/use-fixture';
import { presenceImplementations } from './presence-implementations.js';

describe.each(presenceImplementations)('PresenceService %s, with limited access', (_name, open) => {
  const presence = useFixture(() => open({ limitsAccess: true }));
  let sut: PresenceService;
  let realm: PresenceRealm;
  let ann: number;
  let ben: number;
  let guest: number;

  beforeAll(async () => {
    sut = presence.service;
  });

  const usersSeenBy = async (userId: number, isGuest: boolean): Promise<number[]> =>
    usersIn(parseAnswer(await sut.report({ ...realm.poll(userId), isGuest })));

  const addGroup = (name: string) =>
    presence.database.prisma.userGroup.create({ data: { realmId: realm.id, name } });

  const setAllowedGroup = (groupId: number) =>
    presence.database.prisma.realm.update({
      where: { id: realm.id },
      data: { canAccessAllUsersGroupId: groupId },
    });

  beforeEach(async () => {
    realm = await PresenceRealm.create(presence.database);
    [ann = 0, ben = 0] = await realm.addUsers(2);
    guest = await realm.addUser({ role: roles.guest });
    for (const userId of [ann, ben, guest]) await sut.report(realm.request(userId));
  });

  it('shows a guest all users while no group is set', async () => {
    expect(await usersSeenBy(guest, true)).toEqual([ann, ben, guest]);
  });

  it('shows a guest only users who share an active subscription', async () => {
    await setAllowedGroup((await addGroup('members')).id);
    const { prisma } = presence.database;
    const channel = (name: string) => prisma.channel.create({ data: { realmId: realm.id, name } });
    const [shared, left] = [await channel('shared'), await channel('left')];
    await prisma.subscription.createMany({
      data: [
        { channelId: shared.id, userId: guest },
        { channelId: shared.id, userId: ann },
        { channelId: left.id, userId: guest, isActive: false },
        { channelId: left.id, userId: ben },
      ],
    });
    expect(await usersSeenBy(guest, true)).toEqual([ann, guest]);
  });

  it('shows a guest users who share a direct conversation', async () => {
    await setAllowedGroup((await addGroup('members')).id);
    await presence.database.prisma.directConversation.create({
      data: {
        realmId: realm.id,
        key: `${ben},${guest}`,
        members: { create: [{ userId: ben }, { userId: guest }] },
      },
    });
    expect(await usersSeenBy(guest, true)).toEqual([ben, guest]);
  });

  it('shows all users to a guest in a subgroup of the group', async () => {
    const { prisma } = presence.database;
    const [outer, inner] = [await addGroup('outer'), await addGroup('inner')];
    await setAllowedGroup(outer.id);
    await prisma.userGroupSubgroup.create({
      data: { supergroupId: outer.id, subgroupId: inner.id },
    });
    await prisma.userGroupMember.create({ data: { groupId: inner.id, userId: guest } });
    expect(await usersSeenBy(guest, true)).toEqual([ann, ben, guest]);
  });

  it('does not limit members', async () => {
    await setAllowedGroup((await addGroup('members')).id);
    expect(await usersSeenBy(ann, false)).toEqual([ann, ben, guest]);
  });
});
