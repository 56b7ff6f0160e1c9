import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { EventLog, EventRepository } from '#events/log';
import { roles } from '#directory/roles';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { optionsWith } from '#test/queue-options';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';
import { AccountGroupsRepository } from './account-groups.repository.js';
import { GroupSettingRepository } from './group-setting.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import { UserGroupRepository } from './user-group.repository.js';
import { UserGroupEvents } from './user-groups.events.js';
import { UserGroupsService } from './user-groups.service.js';

const system = useGateway();
let sut: UserGroupEvents;
let organisation: Organisation;
let owner: Person;
let recorded: RecordedEvents;

beforeAll(async () => {
  const { database } = system.database;
  const settings = new GroupSettingRepository(database);
  const groups = new UserGroupsService(
    new UserGroupRepository(database),
    settings,
    new SystemGroupRepository(database),
  );
  const log = new EventLog(new EventRepository(database));
  sut = new UserGroupEvents(groups, new AccountGroupsRepository(database), settings, log);
});

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  recorded = new RecordedEvents(system, organisation);
});

const change = (groupId: number, lists: { add?: number[]; delete?: number[] }) =>
  owner.api.post(`/user_groups/${groupId}/subgroups`, lists);
const event = (op: string, groupId: number, ids: readonly number[]) => ({
  type: 'user_group',
  body: { op, group_id: groupId, direct_subgroup_ids: ids },
  audience: { everyone: 'all' },
});

describe(UserGroupEvents.name, () => {
  it('stores added and removed subgroups, and nothing of a refused change', async () => {
    const group = await addGroup(system, organisation);
    const [first, second] = [
      await addGroup(system, organisation),
      await addGroup(system, organisation),
    ];
    const events = await recorded.during(async () => {
      await change(group, { add: [first] });
      await change(group, { add: [second, first] });
      await change(group, { add: [second], delete: [first] });
      await change(group, { add: [first], delete: [first] });
    });
    expect(events).toEqual([
      event('add_subgroups', group, [first]),
      event('add_subgroups', group, [second]),
      event('remove_subgroups', group, [first]),
    ]);
  });

  it('returns the groups of the organisation, deactivated ones only if the client lists them', async () => {
    const deactivated = await addGroup(system, organisation, { deactivatedAt: new Date() });
    const listed = async (withDeactivated: boolean) =>
      (await owner.api.get('/user_groups', { include_deactivated_groups: withDeactivated })).body[
        'user_groups'
      ];
    const all = await listed(true);
    expect(await recorded.stateOf(sut, owner)).toEqual({ realm_user_groups: await listed(false) });
    const options = optionsWith('include_deactivated_groups');
    expect(await recorded.stateOf(sut, owner, options)).toEqual({ realm_user_groups: all });
    expect(all).toContainEqual(expect.objectContaining({ id: deactivated }));
  });

  it('shows the change of a deactivated group only to clients that list it', async () => {
    const group = await addGroup(system, organisation, { deactivatedAt: new Date() });
    const subgroup = await addGroup(system, organisation);
    const [stored] = await recorded.during(() => change(group, { add: [subgroup] }));
    const { body } = stored as { body: Record<string, unknown> };
    const [type] = sut.types;
    expect(type?.formsOf?.(body, optionsWith())).toEqual([]);
    expect(type?.formsOf?.(body, optionsWith('include_deactivated_groups'))).toEqual([
      { op: 'add_subgroups', group_id: group, direct_subgroup_ids: [subgroup] },
    ]);
  });
});
