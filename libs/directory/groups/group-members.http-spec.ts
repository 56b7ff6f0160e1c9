import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup, systemGroupIds } from '#test/user-groups';

type Fields = Readonly<Record<string, unknown>>;

const system = useGateway();
let organisation: Organisation;
let owner: Person;
let person: Person;
let group: number;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  person = await organisation.addPerson();
  group = await addGroup(system, organisation);
});

const change = (fields: Fields, by = owner, id = group) =>
  by.api.post(`/user_groups/${id}/members`, fields);
const membersOf = async (query: Fields = {}, id = group) =>
  (await person.api.get(`/user_groups/${id}/members`, query)).body['members'];
const denied = badRequest('Insufficient permission');

describe('POST /user_groups/{user_group_id}/members', () => {
  it('adds and removes members and subgroups, and sends events to everyone', async () => {
    const inner = await addGroup(system, organisation);
    const client = await EventClient.register(person.api, { event_types: ['user_group'] });
    const added = { add: [person.id, owner.id, person.id], add_subgroups: [inner] };
    expect(await change(added)).toMatchObject(success);
    expect(await change({ delete: [owner.id], delete_subgroups: [inner] })).toMatchObject(success);
    expect(await client.drain()).toMatchObject([
      { op: 'add_members', group_id: group, user_ids: [person.id, owner.id] },
      { op: 'add_subgroups', group_id: group, direct_subgroup_ids: [inner] },
      { op: 'remove_members', group_id: group, user_ids: [owner.id] },
      { op: 'remove_subgroups', group_id: group, direct_subgroup_ids: [inner] },
    ]);
    expect(await membersOf()).toEqual([person.id]);
  });

  it('sends a message to other accounts that are added or removed', async () => {
    const { name } = await system.database.database.prisma.userGroup.findUniqueOrThrow({
      where: { id: group },
    });
    const received = async () => {
      const query = {
        anchor: 'newest',
        num_before: 10,
        num_after: 0,
        narrow: [],
        apply_markdown: false,
      };
      const { body } = await person.api.get('/messages', query);
      return (body['messages'] as { content: string }[]).map(({ content }) => content);
    };
    const olga = await organisation.addPerson({ role: roles.owner, fullName: 'Olga' });
    await change({ add: [person.id, olga.id] }, olga);
    await change({ add: [person.id] }, olga);
    await change({ delete: [person.id, olga.id] }, olga);
    await change({ add: [olga.id] }, olga);
    const by = `@_**Olga|${olga.id}**`;
    expect(await received()).toEqual([
      `${by} added you to the group @_*${String(name)}*.`,
      `${by} removed you from the group @_*${String(name)}*.`,
    ]);
  });

  it('changes all or nothing', async () => {
    const gone = await organisation.addPerson({ isActive: false });
    await change({ add: [person.id] });
    const rows: [Fields, string][] = [
      [{}, 'Nothing to do. Specify at least one of "add" or "delete".'],
      [{ delete: [3_000_000_000] }, 'Invalid user ID: 3000000000'],
      [{ add: [owner.id, gone.id] }, `Invalid user ID: ${gone.id}`],
      [{ add: [owner.id, person.id] }, `User ${person.id} is already a member of this group`],
      [{ delete: [owner.id] }, `There is no member '${owner.id}' in this user group`],
      [{ add: [owner.id], add_subgroups: [2_147_483_647] }, 'Invalid user group ID: 2147483647'],
    ];
    for (const [fields, text] of rows) {
      expect(await change(fields)).toMatchObject(badRequest(text));
    }
    expect(await membersOf()).toEqual([person.id]);
    expect(await change({ add: [1] }, owner, 2_147_483_647)).toMatchObject(
      badRequest('Invalid user group'),
    );
  });

  it('lets people join and leave where they may', async () => {
    const groups = await systemGroupIds(system, organisation);
    const members = groups['role:members'] ?? 0;
    const other = await organisation.addPerson();
    expect(await change({ add: [person.id] }, person)).toMatchObject(denied);
    group = await addGroup(system, organisation, { canJoinId: members });
    expect(await change({ add: [person.id] }, person)).toMatchObject(success);
    expect(await change({ add: [other.id] }, person)).toMatchObject(denied);
    expect(await change({ delete: [person.id] }, other)).toMatchObject(denied);
    expect(await change({ delete: [person.id] }, person)).toMatchObject(success);
    expect(await change({ add: [person.id] }, owner, members)).toMatchObject(denied);
  });

  it('lets people add and remove others where they may, and keeps those who may not leave', async () => {
    const groups = await systemGroupIds(system, organisation);
    const [members, nobody] = [groups['role:members'] ?? 0, groups['role:nobody'] ?? 0];
    const other = await organisation.addPerson();
    const open = await addGroup(system, organisation, {
      canAddMembersId: members,
      canLeaveId: nobody,
    });
    expect(await change({ add: [other.id, person.id] }, person, open)).toMatchObject(success);
    expect(await change({ delete: [other.id] }, person, open)).toMatchObject(denied);
    expect(await change({ delete: [person.id] }, person, open)).toMatchObject(denied);
    group = await addGroup(system, organisation, { canRemoveMembersId: members });
    expect(await change({ add: [other.id] })).toMatchObject(success);
    expect(await change({ add: [person.id] }, person)).toMatchObject(denied);
    expect(await change({ delete: [other.id] }, person)).toMatchObject(success);
    expect(await membersOf()).toEqual([]);
  });

  it('adds an account once for concurrent requests', async () => {
    const replies = await Promise.all([
      change({ add: [person.id] }),
      change({ add: [person.id] }),
      change({ add: [owner.id] }),
    ]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 400]);
    expect(await membersOf()).toEqual([owner.id, person.id]);
  });

  it('shows and hides the channels of the group', async () => {
    const outer = await addGroup(system, organisation, { subgroups: [group] });
    const data = { realmId: organisation.id, isPrivate: true };
    const { id } = await system.database.database.prisma.channel.create({
      data: { ...data, name: 'kitchen', canSubscribeId: outer },
    });
    await system.database.database.prisma.channel.create({ data: { ...data, name: 'cellar' } });
    const client = await EventClient.register(person.api, { event_types: ['stream'] });
    await change({ add: [person.id, owner.id] });
    expect(await client.drain()).toMatchObject([
      { op: 'create', streams: [{ stream_id: id, name: 'kitchen' }] },
    ]);
    const fresh = await person.api.post('/register', { fetch_event_types: ['stream'] });
    expect(fresh.body['streams']).toMatchObject([{ stream_id: id }]);
    const paths = `/user_groups/${outer}/subgroups`;
    expect(await owner.api.post(paths, { delete: [group] })).toMatchObject(success);
    expect(await client.drain()).toMatchObject([{ op: 'delete', stream_ids: [id] }]);
    expect(await owner.api.post(paths, { add: [group] })).toMatchObject(success);
    await change({ delete: [person.id] });
    expect((await client.drain()).map(({ op }) => op)).toEqual(['create', 'delete']);
  });
});

describe('GET /user_groups/{user_group_id}/members', () => {
  it('returns active members, those of subgroups too', async () => {
    const gone = await organisation.addPerson({ isActive: false });
    const inner = await addGroup(system, organisation, { members: [person.id, gone.id] });
    const deep = await addGroup(system, organisation, { members: [person.id] });
    group = await addGroup(system, organisation, { members: [owner.id], subgroups: [inner] });
    await owner.api.post(`/user_groups/${inner}/subgroups`, { add: [deep] });
    expect(await membersOf()).toEqual([owner.id, person.id]);
    expect(await membersOf({ direct_member_only: true })).toEqual([owner.id]);
    const isMember = async (id: number, query: Fields = {}) =>
      (await person.api.get(`/user_groups/${group}/members/${id}`, query)).body;
    expect(await isMember(person.id)).toMatchObject({ is_user_group_member: true });
    const direct = await isMember(person.id, { direct_member_only: true });
    expect(direct).toMatchObject({ is_user_group_member: false });
    expect(await isMember(gone.id)).toMatchObject({ is_user_group_member: false });
    expect(await isMember(2_147_483_647)).toMatchObject(badRequest('No such user').body);
    const subgroups = async (query: Fields = {}) =>
      (await person.api.get(`/user_groups/${group}/subgroups`, query)).body['subgroups'];
    expect(await subgroups()).toEqual([inner, deep]);
    expect(await subgroups({ direct_subgroup_only: true })).toEqual([inner]);
  });

  it('knows system groups and no unknown ones', async () => {
    const groups = await systemGroupIds(system, organisation);
    expect(await membersOf({}, groups['role:members'])).toEqual([owner.id, person.id]);
    for (const path of ['members', `members/${person.id}`, 'subgroups']) {
      const reply = await person.api.get(`/user_groups/2147483647/${path}`);
      expect(reply).toMatchObject(badRequest('Invalid user group'));
    }
  });
});
