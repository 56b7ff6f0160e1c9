import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { systemGroupIds } from '#test/user-groups';

type Fields = Readonly<Record<string, unknown>>;

const system = useGateway();
let organisation: Organisation;
let creator: Person;
let other: Person;
let systemGroups: Readonly<Record<string, number>>;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  [creator, other] = [await organisation.addPerson(), await organisation.addPerson()];
  systemGroups = await systemGroupIds(system, organisation);
});

const create = (fields: Fields = {}, by = creator) =>
  by.api.post('/user_groups/create', { name: 'cooks', description: 'D', members: [], ...fields });
const created = async (fields: Fields = {}): Promise<number> => {
  const reply = await create(fields);
  expect(reply).toMatchObject(success);
  return Number(reply.body['group_id']);
};
const update = (id: number, fields: Fields, by = creator) =>
  by.api.patch(`/user_groups/${id}`, fields);
const deactivate = (id: number, by = creator) => by.api.post(`/user_groups/${id}/deactivate`);
const listed = async (id: number, by = creator) => {
  const { body } = await by.api.get('/user_groups', { include_deactivated_groups: true });
  return (body['user_groups'] as { id: number }[]).find((group) => group.id === id);
};
const listen = (by = other, more: Fields = {}) =>
  EventClient.register(by.api, { event_types: ['user_group'], ...more });
const capable = { client_capabilities: { include_deactivated_groups: true } };
const denied = badRequest('Insufficient permission');
const alone = (person: Person) => ({ direct_members: [person.id], direct_subgroups: [] });

describe('POST /user_groups/create', () => {
  it('creates a group with defaults, and sends an event to everyone', async () => {
    const client = await listen();
    const inner = await created({ name: 'inner' });
    await client.drain();
    const members = [other.id, creator.id, other.id];
    const id = await created({ name: ' cooks ', members, subgroups: [inner] });
    const group = {
      id,
      name: 'cooks',
      description: 'D',
      is_system_group: false,
      members: [creator.id, other.id],
      direct_subgroup_ids: [inner],
      creator_id: creator.id,
      date_created: expect.any(Number),
      deactivated: false,
      can_add_members_group: alone(creator),
      can_join_group: systemGroups['role:nobody'],
      can_leave_group: systemGroups['role:everyone'],
      can_manage_group: alone(creator),
      can_mention_group: systemGroups['role:everyone'],
      can_remove_members_group: systemGroups['role:nobody'],
    };
    expect(await listed(id)).toEqual(group);
    expect(await client.drain()).toMatchObject([{ type: 'user_group', op: 'add', group }]);
  });

  it('takes holders of permissions in their simplest form', async () => {
    const moderators = systemGroups['role:moderators'] ?? 0;
    const id = await created({
      can_manage_group: { direct_members: [], direct_subgroups: [moderators] },
      can_join_group: { direct_members: [other.id, other.id], direct_subgroups: [moderators] },
      can_add_members_group: { direct_members: [], direct_subgroups: [] },
    });
    expect(await listed(id)).toMatchObject({
      can_manage_group: moderators,
      can_join_group: { direct_members: [other.id], direct_subgroups: [moderators] },
      can_add_members_group: systemGroups['role:nobody'],
    });
  });

  it('refuses invalid values', async () => {
    const gone = await organisation.addPerson({ isActive: false });
    const guest = await organisation.addPerson({ role: roles.guest });
    const everyone = systemGroups['role:everyone'];
    const rows: [Fields, string][] = [
      [{ name: ' ' }, "User group name can't be empty!"],
      [{ name: '@cooks' }, "User group name cannot start with '@'."],
      [{ description: 'x'.repeat(1025) }, 'description is too long (limit: 1024 characters)'],
      [{ members: [other.id, gone.id] }, `Invalid user ID: ${gone.id}`],
      [{ members: [2_147_483_647] }, 'Invalid user ID: 2147483647'],
      [{ members: [3_000_000_000] }, 'Invalid user ID: 3000000000'],
      [{ subgroups: [2_147_483_647] }, 'Invalid user group ID: 2147483647'],
      [{ subgroups: [3_000_000_000] }, 'Invalid user group ID: 3000000000'],
      [{ can_join_group: 2_147_483_647 }, 'Invalid user group ID: 2147483647'],
      [{ can_join_group: 3_000_000_000 }, 'Invalid user group ID: 3000000000'],
      [{ can_join_group: alone(gone) }, `Invalid user ID: ${gone.id}`],
      [
        { can_manage_group: everyone },
        "'can_manage_group' setting cannot be set to 'role:everyone' group.",
      ],
    ];
    for (const [fields, text] of rows) {
      expect(await create(fields)).toMatchObject(badRequest(text));
    }
    expect(await create({}, guest)).toMatchObject(badRequest('Not allowed for guest users'));
    expect(await create({ can_join_group: { direct_members: [] } })).toMatchObject({ status: 400 });
  });

  it('creates a name once for concurrent requests', async () => {
    const replies = await Promise.all([create(), create(), create()]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
    expect(await create()).toMatchObject(badRequest("User group 'cooks' already exists."));
  });
});

describe('PATCH /user_groups/{user_group_id}', () => {
  it('changes the fields that differ, and sends an event to everyone', async () => {
    const id = await created();
    const client = await listen();
    const can_manage_group = {
      new: { direct_members: [other.id, creator.id], direct_subgroups: [] },
      old: alone(creator),
    };
    const fields = { name: 'chefs', description: 'D', can_manage_group };
    expect(await update(id, fields)).toMatchObject(success);
    const both = { direct_members: [creator.id, other.id], direct_subgroups: [] };
    expect(await client.drain()).toMatchObject([
      { op: 'update', group_id: id, data: { name: 'chefs', can_manage_group: both } },
    ]);
    expect(await listed(id)).toMatchObject({ name: 'chefs', can_manage_group: both });
    expect(await update(id, fields)).toMatchObject({ body: { code: 'EXPECTATION_MISMATCH' } });
    const again = { name: 'chefs', can_manage_group: { new: both } };
    expect(await update(id, again, other)).toMatchObject(success);
    expect(await client.drain()).toEqual([]);
    const where = { realmId: organisation.id, name: null };
    // The holders of two permissions, and none of those that were replaced.
    expect(await system.database.database.prisma.userGroup.count({ where })).toBe(2);
  });

  it('requires the permission and valid values', async () => {
    const [id] = [await created(), await created({ name: 'taken' })];
    const owner = await organisation.addPerson({ role: roles.owner });
    expect(await update(id, { name: 'x' }, other)).toMatchObject(denied);
    expect(await update(id, { description: 'By the owner' }, owner)).toMatchObject(success);
    expect(await update(id, {})).toMatchObject(badRequest('No new data supplied'));
    const taken = badRequest("User group 'taken' already exists.");
    expect(await update(id, { name: 'taken' })).toMatchObject(taken);
    const moderators = systemGroups['role:moderators'] ?? 0;
    expect(await update(moderators, { name: 'x' }, owner)).toMatchObject(denied);
    const unknown = badRequest('Invalid user group');
    expect(await update(2_147_483_647, { name: 'x' })).toMatchObject(unknown);
  });

  it('keeps concurrent changes of name and description', async () => {
    const id = await created();
    const replies = await Promise.all([
      update(id, { name: 'new' }),
      update(id, { description: 'New' }),
      update(id, { name: 'new' }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await listed(id)).toMatchObject({ name: 'new', description: 'New' });
  });
});

describe('POST /user_groups/{user_group_id}/deactivate', () => {
  it('deactivates and reactivates, in the form of the client', async () => {
    const id = await created({ members: [other.id] });
    const [plain, knowing] = [await listen(), await listen(other, capable)];
    expect(await deactivate(id, other)).toMatchObject(denied);
    expect(await deactivate(id)).toMatchObject(success);
    expect(await plain.drain()).toMatchObject([{ op: 'remove', group_id: id }]);
    const changed = (deactivated: boolean) => [
      { op: 'update', group_id: id, data: { deactivated } },
    ];
    expect(await knowing.drain()).toMatchObject(changed(true));
    expect(await deactivate(id)).toMatchObject(badRequest('User group is already deactivated.'));
    const holders = { direct_members: [other.id], direct_subgroups: [] };
    const texts = { name: 'renamed', description: 'Gone' };
    const given = { ...texts, can_leave_group: { new: holders } };
    expect(await update(id, given)).toMatchObject(success);
    expect(await plain.drain()).toEqual([]);
    expect(await knowing.drain()).toMatchObject([{ data: { ...texts, can_leave_group: holders } }]);
    expect(await update(id, { deactivated: false })).toMatchObject(success);
    expect(await plain.drain()).toMatchObject([
      { op: 'add', group: { id, ...texts, members: [other.id] } },
    ]);
    expect(await knowing.drain()).toMatchObject(changed(false));
  });

  it('refuses a group in use', async () => {
    const id = await created();
    const outer = await created({
      name: 'outer',
      subgroups: [id],
      can_join_group: id,
      can_mention_group: { direct_members: [other.id], direct_subgroups: [id] },
    });
    const channel = await system.database.database.prisma.channel.create({
      data: { realmId: organisation.id, name: 'kitchen', canSendMessageId: id },
    });
    expect(await deactivate(id)).toMatchObject({
      status: 400,
      body: {
        code: 'CANNOT_DEACTIVATE_GROUP_IN_USE',
        objections: [
          { type: 'subgroup', supergroup_ids: [outer] },
          {
            type: 'user_group',
            group_id: outer,
            settings: ['can_join_group', 'can_mention_group'],
          },
          { type: 'channel', channel_id: channel.id, settings: ['can_send_message_group'] },
        ],
      },
    });
  });

  it('succeeds once for concurrent requests', async () => {
    const id = await created();
    const replies = await Promise.all([deactivate(id), deactivate(id)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  });
});
