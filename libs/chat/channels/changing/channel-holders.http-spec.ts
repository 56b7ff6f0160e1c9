import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { commitTogether } from '#test/commit-together';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';
import { permissionTable } from '../channel-permission-table.rules.js';
import { archive, change, read, useChanging } from './changing.fixture.js';

const system = useGateway();
const { world, recorded, owner, admin, member, guest } = useChanging(system);
beforeEach(async () => {
  await system.database.database.prisma.userGroup.deleteMany({ where: ofUnnamed() });
});

const ofUnnamed = () => ({ realmId: world.organisation.id, name: null });

type Request = Parameters<typeof commitTogether>[2];

const fields = Object.values(permissionTable).map(({ name }) => name);

const holders = (...people: readonly Person[]) => ({
  direct_members: people.map(({ id }) => id),
  direct_subgroups: [] as number[],
});

/** A change of all permissions. */
const all = (next: unknown) => Object.fromEntries(fields.map((field) => [field, { new: next }]));

/** The ids of the groups without a name. */
const unnamed = async () => {
  const groups = await system.database.database.prisma.userGroup.findMany({
    where: ofUnnamed(),
    select: { id: true },
    orderBy: { id: 'asc' },
  });
  return groups.map(({ id }) => id);
};

const administrators = async (id: number) =>
  (await read(owner, id))['can_administer_channel_group'];

describe('The holders of the permissions of a channel', () => {
  it('are one unnamed group for each permission at most, after any number of changes', async () => {
    const id = await world.addChannel('Holders 1');
    for (const people of [[member], [admin], [member, admin], [member]]) {
      expect(await change(owner, id, all(holders(...people)))).toMatchObject(success);
      expect(await unnamed()).toHaveLength(fields.length);
    }
    expect(await administrators(id)).toEqual(holders(member));
    const members = await world.systemGroup('role:members');
    expect(await change(owner, id, all(members))).toMatchObject(success);
    expect(await unnamed()).toEqual([]);
    expect(await administrators(id)).toBe(members);
    expect(await world.systemGroup('role:members')).toBe(members);
    expect(await change(owner, id, all(holders()))).toMatchObject(success);
    expect(await unnamed()).toEqual([]);
    expect(await administrators(id)).toBe(await world.systemGroup('role:nobody'));
  });

  it('are one unnamed group after changes at the same time', async () => {
    const id = await world.addChannel('Holders 2');
    const replies = await Promise.all(
      [[member], [admin], [owner], [member, admin], [member, owner]].map((people) =>
        change(owner, id, { can_send_message_group: { new: holders(...people) } }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await unnamed()).toHaveLength(1);
  });

  it.each([
    ['before', (one: Request, other: Request) => [one, other]],
    ['after', (one: Request, other: Request) => [other, one]],
  ] as const)('are no group that is deactivated just %s', async (when, ordered) => {
    const id = await world.addChannel(`Holders ${when}`);
    const group = await addGroup(system, world.organisation);
    const give = () => change(owner, id, { can_send_message_group: { new: group } });
    const deactivate = () => owner.api.post(`/user_groups/${group}/deactivate`);
    const replies = await commitTogether(system, world.organisation, ...ordered(deactivate, give));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });

  it('come back for a guest who is subscribed at the same time', async () => {
    const id = await world.addChannel('Holders 7');
    const administered = { can_administer_channel_group: { new: holders(member) } };
    expect(await change(owner, id, administered)).toMatchObject(success);
    expect(await owner.api.delete(`/users/${member.id}`)).toMatchObject(success);
    const subscription = { subscriptions: [{ name: 'Holders 7' }], principals: [guest.id] };
    const subscribe = () => owner.api.post('/users/me/subscriptions', subscription);
    const reactivate = () => owner.api.post(`/users/${member.id}/reactivate`);
    const events = await recorded.during(async () => {
      const replies = await commitTogether(system, world.organisation, subscribe, reactivate);
      for (const reply of replies) expect(reply).toMatchObject(success);
    });
    expect(events).toContainEqual(
      expect.objectContaining({
        body: expect.objectContaining({ stream_id: id, value: holders(member) }),
        audience: { everyone: 'members', userIds: [guest.id] },
      }),
    );
  });

  it('are not written again if they stay the same', async () => {
    const id = await world.addChannel('Holders 3');
    await change(owner, id, all(holders(member, admin)));
    const before = await unnamed();
    const events = await recorded.during(async () => {
      expect(await change(owner, id, all(holders(admin, member, admin)))).toMatchObject(success);
    });
    expect(events).toEqual([]);
    expect(await unnamed()).toEqual(before);
  });

  it('stay those of other channels that one request created, archived ones included', async () => {
    const names = ['Holders 4', 'Holders 5', 'Holders 6'];
    await member.api.post('/users/me/subscriptions', {
      subscriptions: names.map((name) => ({ name })),
    });
    const channels = await system.database.database.prisma.channel.findMany({
      where: { realmId: world.organisation.id, name: { in: names } },
      orderBy: { id: 'asc' },
    });
    const [first = 0, second = 0, third = 0] = channels.map(({ id }) => id);
    const shared = await unnamed();
    expect(shared).toHaveLength(1);
    const replace = async (id: number) => {
      const edit = { can_administer_channel_group: { new: holders(admin) } };
      expect(await change(owner, id, edit)).toMatchObject(success);
    };
    await replace(first);
    expect(await administrators(first)).toEqual(holders(admin));
    expect(await administrators(second)).toEqual(holders(member));
    expect(await archive(owner, second)).toMatchObject(success);
    await replace(third);
    expect(await administrators(second)).toEqual(holders(member));
    expect(await unnamed()).toEqual(expect.arrayContaining(shared));
    expect(await change(owner, second, { is_archived: false })).toMatchObject(success);
    await replace(second);
    expect(await unnamed()).toHaveLength(3);
    expect(await unnamed()).not.toEqual(expect.arrayContaining(shared));
  });
});
