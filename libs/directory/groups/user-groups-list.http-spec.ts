import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { countStatements } from '#test/count-statements';
import type { Reply } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup, systemGroupIds } from '#test/user-groups';

const system = useGateway();

type Listed = Readonly<Record<string, unknown>> & { readonly id: number; readonly name: string };

// The documented type of the member.
const groupsIn = (reply: Reply): Listed[] => reply.body['user_groups'] as Listed[];

const listed = async (
  who: Person | string,
  query: Readonly<Record<string, unknown>> = {},
): Promise<Listed[]> => {
  const api = typeof who === 'string' ? system.api(who) : who.api;
  return groupsIn(await api.get('/user_groups', query));
};

const foundedAt = Date.parse('2026-01-05T09:00:00Z') / 1000;

describe('GET /user_groups', () => {
  it('rejects guests', async () => {
    const reply = await system.api('guest').get('/user_groups', { allow_deactivated: 'spam' });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      result: 'error',
      msg: 'Not allowed for guest users',
      code: 'BAD_REQUEST',
    });
  });

  it.each(['alice', 'admin', 'owner', 'alice_bot'])('accepts the caller %s', async (name) => {
    const reply = await system.api(name).get('/user_groups');
    expect(reply).toMatchObject({ status: 200, body: { result: 'success', msg: '' } });
  });

  it('returns all members of a group', async () => {
    const { groups, users } = system.demo;
    const creatorAlone = { direct_members: [users['admin']?.user_id], direct_subgroups: [] };
    const found = await listed('alice');
    expect(found.find(({ name }) => name === 'mobile')).toEqual({
      id: groups['mobile'],
      name: 'mobile',
      description: 'Builds the phone apps.',
      is_system_group: false,
      members: [users['alice']?.user_id, users['bob']?.user_id],
      direct_subgroup_ids: [groups['backend']],
      creator_id: users['admin']?.user_id,
      date_created: foundedAt,
      deactivated: false,
      can_add_members_group: creatorAlone,
      can_join_group: groups['role:nobody'],
      can_leave_group: groups['role:everyone'],
      can_manage_group: creatorAlone,
      can_mention_group: groups['role:everyone'],
      can_remove_members_group: groups['role:nobody'],
    });
  });

  it.each([
    ['include_deactivated_groups', true],
    ['include_deactivated_groups', false],
    ['allow_deactivated', true],
    ['allow_deactivated', false],
  ])('takes %s=%s', async (name, value) => {
    const reply = await system.api('alice').get('/user_groups', { [name]: value });
    const retired = groupsIn(reply).filter((group) => group.name === 'retired');
    expect(retired.map(({ deactivated }) => deactivated)).toEqual(value ? [true] : []);
    expect(reply.body).not.toHaveProperty('ignored_parameters_unsupported');
  });

  it('and the other endpoints of groups accept bots', async () => {
    const organisation = await addOrganisation(system);
    const bot = await organisation.addPerson({ isBot: true, role: roles.administrator });
    const fields = { name: 'robots', description: '', members: [bot.id] };
    const { body } = await bot.api.post('/user_groups/create', fields);
    const path = `/user_groups/${String(body['group_id'])}`;
    expect(await bot.api.patch(path, { description: 'Beep' })).toMatchObject({ status: 200 });
    expect((await listed(bot)).at(-1)).toMatchObject({ name: 'robots', description: 'Beep' });
    const membership = await bot.api.get(`${path}/members/${bot.id}`);
    expect(membership.body).toMatchObject({ is_user_group_member: true });
  });

  it('omits deactivated groups by default', async () => {
    const names = (await listed('alice')).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['mobile', 'backend', 'role:members']));
    expect(names).not.toContain('retired');
  });

  it('rejects both names of a parameter', async () => {
    const reply = await system
      .api('alice')
      .get('/user_groups', { include_deactivated_groups: true, allow_deactivated: true });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      result: 'error',
      msg: "Can't decide between 'include_deactivated_groups' and 'allow_deactivated' arguments",
      code: 'REQUEST_CONFUSING_VAR',
      var_name1: 'include_deactivated_groups',
      var_name2: 'allow_deactivated',
    });
  });

  it.each(['include_deactivated_groups', 'allow_deactivated'])(
    'refuses bad input as %s',
    async (name) => {
      const refusal = async (value: string) =>
        (await system.api('alice').get('/user_groups', { [name]: value })).body['msg'];
      expect(await refusal('1')).toBe(`${name} is not a boolean`);
      expect(await refusal('True')).toBe(`${name} is not valid JSON`);
    },
  );

  it('lists unsupported parameters', async () => {
    const reply = await system.api('alice').get('/user_groups', { spam: 1 });
    expect(reply.body).toMatchObject({ ignored_parameters_unsupported: ['spam'] });
  });
});

describe('the list of user groups', () => {
  it('begins with the system groups and the accounts with their roles', async () => {
    const organisation = await addOrganisation(system, { waitingPeriodDays: 10 });
    const joinedLongAgo = new Date('2020-01-01T00:00:00Z');
    const owner = await organisation.addPerson({ role: roles.owner });
    const admin = await organisation.addPerson({ role: roles.administrator });
    const moderator = await organisation.addPerson({ role: roles.moderator });
    const newcomer = await organisation.addPerson();
    const member = await organisation.addPerson({ dateJoined: joinedLongAgo });
    const guest = await organisation.addPerson({ role: roles.guest });
    await organisation.addPerson({ role: roles.owner, isActive: false });
    const ids = await systemGroupIds(system, organisation);

    const found = await listed(member);
    expect(
      found.map(({ name, members, direct_subgroup_ids }) => ({
        name,
        members,
        direct_subgroup_ids,
      })),
    ).toEqual([
      { name: 'role:owners', members: [owner.id], direct_subgroup_ids: [] },
      {
        name: 'role:administrators',
        members: [admin.id],
        direct_subgroup_ids: [ids['role:owners']],
      },
      {
        name: 'role:moderators',
        members: [moderator.id],
        direct_subgroup_ids: [ids['role:administrators']],
      },
      {
        name: 'role:fullmembers',
        members: [member.id],
        direct_subgroup_ids: [ids['role:moderators']],
      },
      {
        name: 'role:members',
        members: [newcomer.id, member.id],
        direct_subgroup_ids: [ids['role:fullmembers']],
      },
      { name: 'role:everyone', members: [guest.id], direct_subgroup_ids: [ids['role:members']] },
      { name: 'role:internet', members: [], direct_subgroup_ids: [ids['role:everyone']] },
      { name: 'role:nobody', members: [], direct_subgroup_ids: [] },
    ]);
    const nobody = ids['role:nobody'];
    expect(found[0]).toEqual({
      id: ids['role:owners'],
      name: 'role:owners',
      description: 'The owners of the organization',
      is_system_group: true,
      members: [owner.id],
      direct_subgroup_ids: [],
      creator_id: null,
      date_created: null,
      deactivated: false,
      can_add_members_group: nobody,
      can_join_group: nobody,
      can_leave_group: nobody,
      can_manage_group: nobody,
      can_mention_group: nobody,
      can_remove_members_group: nobody,
    });
  });

  it('contains the active direct members in the order of their ids', async () => {
    const organisation = await addOrganisation(system);
    const [one, two, three] = await organisation.addPeople(3);
    const gone = await organisation.addPerson({ isActive: false });
    const inner = await addGroup(system, organisation, { members: [three?.id ?? 0] });
    const outer = await addGroup(system, organisation, {
      members: [gone.id, two?.id ?? 0, one?.id ?? 0],
      subgroups: [inner],
    });
    const reader = await organisation.addPerson();

    const found = (await listed(reader)).filter(({ is_system_group: isSystem }) => !isSystem);
    expect(found.map(({ id, members }) => ({ id, members }))).toEqual([
      { id: inner, members: [three?.id] },
      { id: outer, members: [one?.id, two?.id] },
    ]);
  });

  it('shows a permission as the id of a group or as members and groups', async () => {
    const organisation = await addOrganisation(system);
    const [reader, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const gone = await organisation.addPerson({ isActive: false });
    const ids = await systemGroupIds(system, organisation);
    const named = await addGroup(system, organisation);
    const nameless = (members: number[], subgroups: number[] = []) =>
      addGroup(system, organisation, { name: null, members, subgroups });
    const guarded = await addGroup(system, organisation, {
      canAddMembersId: await nameless([gone.id, other.id, reader.id]),
      canJoinId: named,
      canLeaveId: await nameless([], [named, ids['role:owners'] ?? 0]),
      canManageId: ids['role:moderators'] ?? 0,
      canMentionId: await nameless([]),
      canRemoveMembersId: await nameless([other.id], [named]),
    });

    const found = await listed(reader);
    expect(found.find(({ id }) => id === guarded)).toMatchObject({
      can_add_members_group: { direct_members: [reader.id, other.id], direct_subgroups: [] },
      can_join_group: named,
      can_leave_group: { direct_members: [], direct_subgroups: [ids['role:owners'], named] },
      can_manage_group: ids['role:moderators'],
      can_mention_group: { direct_members: [], direct_subgroups: [] },
      can_remove_members_group: { direct_members: [other.id], direct_subgroups: [named] },
    });
    expect(found).toHaveLength(8 + 2);
  });

  it('reads a thousand groups in two statements', async () => {
    const organisation = await addOrganisation(system);
    const reader = await organisation.addPerson();
    const { prisma } = system.database.database;
    const create = (names: (string | null)[]) =>
      prisma.userGroup.createManyAndReturn({
        data: names.map((name) => ({ realmId: organisation.id, name })),
        select: { id: true },
      });
    const permissions = await create(Array.from({ length: 1000 }, () => null));
    await prisma.userGroup.createMany({
      data: permissions.map(({ id }, index) => ({
        realmId: organisation.id,
        name: `team ${index}`,
        canManageId: id,
      })),
    });
    await listed(reader);

    let found: Listed[] = [];
    const statements = await countStatements(async () => {
      found = await listed(reader);
    });
    expect(found).toHaveLength(8 + 1000);
    expect(statements).toBe(2);
  });
});
