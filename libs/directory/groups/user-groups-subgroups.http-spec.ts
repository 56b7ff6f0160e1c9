import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import type { Reply } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup, subgroupsOf, systemGroupIds } from '#test/user-groups';
import { useFixture } from '#test/use-fixture';

const nothingToDo = badRequest('Nothing to do. Specify at least one of "add" or "delete".');
const insufficient = badRequest('Insufficient permission');
const MAX_IDS = 10_000;

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const manager = useFixture(() => organisation.addPerson());
/** The group with the manager as its only member. */
let managerGroup: number;

beforeAll(async () => {
  managerGroup = await addGroup(system, organisation, { name: null, members: [manager.id] });
});

const managed = (traits: { readonly subgroups?: readonly number[] } = {}) =>
  addGroup(system, organisation, { canManageId: managerGroup, ...traits });

const pathOf = (groupId: number | string) => `/user_groups/${groupId}/subgroups`;

const change = (groupId: number, fields: Readonly<Record<string, unknown>>, { api } = manager) =>
  api.post(pathOf(groupId), fields);

const answer = ({ status, body }: Reply) => ({ status, body });

describe('POST /user_groups/{user_group_id}/subgroups', () => {
  let group: number;
  let inside: number;
  let outside: number;

  beforeEach(async () => {
    inside = await addGroup(system, organisation);
    outside = await addGroup(system, organisation);
    group = await managed({ subgroups: [inside] });
  });

  it('adds subgroups', async () => {
    const reply = await change(group, { add: [outside] });
    expect(answer(reply)).toEqual(success);
    expect(await subgroupsOf(system, group)).toEqual([inside, outside]);
  });

  it('removes subgroups', async () => {
    const reply = await change(group, { delete: [inside] });
    expect(answer(reply)).toEqual(success);
    expect(await subgroupsOf(system, group)).toEqual([]);
  });

  it('adds and removes subgroups in one request', async () => {
    expect(await change(group, { add: [outside], delete: [inside] })).toMatchObject(success);
    expect(await subgroupsOf(system, group)).toEqual([outside]);
  });

  it('adds before it removes', async () => {
    expect(await change(group, { add: [outside], delete: [outside] })).toMatchObject(success);
    expect(await subgroupsOf(system, group)).toEqual([inside]);
  });

  it('ignores repeated ids', async () => {
    expect(
      await change(group, { add: [outside, outside], delete: [inside, inside] }),
    ).toMatchObject({ status: 200 });
    expect(await subgroupsOf(system, group)).toEqual([outside]);
  });

  it('accepts a system group as a subgroup but not as the group', async () => {
    const ids = await systemGroupIds(system, organisation);
    expect(await change(group, { add: [ids['role:moderators']] })).toMatchObject({ status: 200 });
    const owner = await organisation.addPerson({ role: roles.owner });
    const reply = await change(ids['role:moderators'] ?? 0, { add: [outside] }, owner);
    expect(answer(reply)).toEqual(insufficient);
  });

  it.each([{}, { add: [], delete: [] }, { add: [] }])(
    'of nothing, %j, is refused',
    async (fields) => {
      expect(answer(await change(group, fields))).toEqual(nothingToDo);
    },
  );

  it.each<[Readonly<Record<string, unknown>>, string]>([
    [{ add: 'spam' }, 'add is not valid JSON'],
    [{ add: '5' }, 'add is not a list'],
    [{ add: '["5"]' }, 'add[0] is not an integer'],
    [{ add: '[1.5]' }, 'add[0] is not an integer'],
    [{ delete: '[[[[]]]]' }, 'delete[0] is not an integer'],
    [{ add: Array.from({ length: MAX_IDS + 1 }, () => 1) }, 'add is too large'],
  ])('refuses bad input: %#', async (fields, message) => {
    expect(answer(await change(group, fields))).toEqual(badRequest(message));
  });

  it('accepts the maximum number of ids', async () => {
    const many = Array.from({ length: MAX_IDS }, () => outside);
    expect(await change(group, { add: many, delete: [inside] })).toMatchObject({ status: 200 });
  });

  it('rejects ids that are not numbers or too large', async () => {
    expect(await manager.api.post(pathOf('mobile'), { add: [outside] })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
    expect(answer(await manager.api.post(pathOf('99999999999'), { add: [outside] }))).toEqual(
      badRequest('Invalid user group'),
    );
  });

  it('does not find groups of another organisation or without a name', async () => {
    const foreign = await addGroup(system, await addOrganisation(system));
    for (const unknown of [foreign, managerGroup, 2_147_483_647]) {
      expect(answer(await change(unknown, { add: [outside] }))).toEqual(
        badRequest('Invalid user group'),
      );
      for (const list of ['add', 'delete']) {
        expect(answer(await change(group, { [list]: [unknown] }))).toEqual(
          badRequest(`Invalid user group ID: ${unknown}`),
        );
      }
    }
    for (const id of [-1, 0, 3_000_000_000]) {
      for (const list of ['add', 'delete']) {
        expect(answer(await change(group, { [list]: [id] }))).toEqual(
          badRequest(`Invalid user group ID: ${id}`),
        );
      }
    }
  });

  it('changes all subgroups or none', async () => {
    const faults = [
      { add: [outside, 2_147_483_647], delete: [inside] },
      { add: [outside], delete: [inside, 2_147_483_647] },
      { add: [outside, inside], delete: [inside] },
      { add: [outside, group] },
    ];
    for (const fault of faults) expect(await change(group, fault)).toMatchObject({ status: 400 });
    expect(await subgroupsOf(system, group)).toEqual([inside]);
  });

  it('rejects existing additions and missing removals', async () => {
    expect(answer(await change(group, { add: [inside] }))).toEqual(
      badRequest(`User group ${inside} is already a subgroup of this group.`),
    );
    expect(answer(await change(group, { delete: [outside] }))).toEqual(
      badRequest(`User group ${outside} is not a subgroup of this group.`),
    );
  });

  it('removes but does not add a deactivated group', async () => {
    const { prisma } = system.database.database;
    await prisma.userGroup.updateMany({
      where: { id: { in: [inside, outside] } },
      data: { deactivatedAt: new Date() },
    });
    expect(answer(await change(group, { add: [outside] }))).toEqual(
      badRequest('User group is deactivated.'),
    );
    expect(await change(group, { delete: [inside] })).toMatchObject({ status: 200 });
  });

  it('changes the subgroups of a deactivated group', async () => {
    await system.database.database.prisma.userGroup.update({
      where: { id: group },
      data: { deactivatedAt: new Date() },
    });
    expect(await change(group, { add: [outside], delete: [inside] })).toMatchObject(success);
  });

  it('succeeds once for concurrent requests', async () => {
    const adding = await Promise.all(
      Array.from({ length: 8 }, () => change(group, { add: [outside] })),
    );
    const already = badRequest(`User group ${outside} is already a subgroup of this group.`);
    expect(adding.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(adding.map(answer).filter(({ status }) => status !== 200)).toEqual(
      Array.from({ length: 7 }, () => already),
    );
    const removing = await Promise.all(
      Array.from({ length: 8 }, () => change(group, { delete: [outside] })),
    );
    expect(removing.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(removing.filter(({ status }) => status === 400)).toHaveLength(7);
    expect(await subgroupsOf(system, group)).toEqual([inside]);
  });

  it('lists unsupported parameters', async () => {
    const reply = await change(group, { add: [outside], spam: 1 });
    expect(reply.body).toEqual({ ...success.body, ignored_parameters_unsupported: ['spam'] });
  });

  it('needs the same number of statements for many groups as for one', async () => {
    const many: number[] = [];
    for (let count = 0; count < 50; count += 1) many.push(await addGroup(system, organisation));
    const forOne = await countStatements(() => change(group, { add: [outside] }));
    const forMany = await countStatements(() => change(group, { add: many, delete: [inside] }));
    expect(forMany).toBe(forOne);
    expect(await subgroupsOf(system, group)).toEqual([outside, ...many]);
  });
});

describe('the permission to change subgroups', () => {
  type Permission = 'canAddMembersId' | 'canManageId' | 'canRemoveMembersId';

  it.each<[string, Permission | null, add: number, remove: number]>([
    ['nothing', null, 400, 400],
    ['adding members', 'canAddMembersId', 200, 400],
    ['removing members', 'canRemoveMembersId', 400, 200],
    ['managing the group', 'canManageId', 200, 200],
  ])('allows %s', async (_case, right, add, remove) => {
    const person = await organisation.addPerson({ isBot: right === 'canManageId' });
    const team = await addGroup(system, organisation, { members: [person.id] });
    const personAlone = await addGroup(system, organisation, { name: null, subgroups: [team] });
    const [inside, outside] = [
      await addGroup(system, organisation),
      await addGroup(system, organisation),
    ];
    const group = await addGroup(system, organisation, {
      subgroups: [inside],
      ...(right !== null && { [right]: personAlone }),
    });
    const both = await change(group, { add: [outside], delete: [outside] }, person);
    expect(both.status).toBe(Math.max(add, remove));
    expect((await change(group, { add: [outside] }, person)).status).toBe(add);
    expect((await change(group, { delete: [inside] }, person)).status).toBe(remove);
  });

  it('belongs to owners by default, to another group if the organisation chooses so', async () => {
    const own = await addOrganisation(system);
    const owner = await own.addPerson({ role: roles.owner });
    const administrator = await own.addPerson({ role: roles.administrator });
    const [group, one, two] = [
      await addGroup(system, own),
      await addGroup(system, own),
      await addGroup(system, own),
    ];
    expect(answer(await change(group, { add: [one] }, administrator))).toEqual(insufficient);
    expect(await change(group, { add: [one] }, owner)).toMatchObject({ status: 200 });

    const ids = await systemGroupIds(system, own);
    await system.database.database.prisma.realm.update({
      where: { id: own.id },
      data: { canManageAllGroupsId: ids['role:administrators'] ?? null },
    });
    expect(await change(group, { add: [two] }, administrator)).toMatchObject({ status: 200 });
  });

  it('is never given to guests', async () => {
    const guest = await organisation.addPerson({ role: roles.guest });
    const guestAlone = await addGroup(system, organisation, { name: null, members: [guest.id] });
    const group = await addGroup(system, organisation, { canManageId: guestAlone });
    expect(answer(await change(group, { add: 'spam' }, guest))).toEqual(
      badRequest('Not allowed for guest users'),
    );
  });

  it('is checked before the ids to add', async () => {
    const person = await organisation.addPerson();
    const group = await managed();
    expect(answer(await change(group, { add: [2_147_483_647] }, person))).toEqual(insufficient);
  });
});
