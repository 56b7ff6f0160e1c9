import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { commitTogether } from '#test/commit-together';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';
import { GuestQueuesModule } from './guest-queues.module.js';

const system = useGateway();
let organisation: Organisation;
let owner: Person;
let seeing: Person;
let guest: Person;
/** The members of this group see all accounts, also through a subgroup. */
let group: number;
let subgroup: number;
let unrelated: number;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  seeing = await organisation.addPerson({ role: roles.guest });
  guest = await organisation.addPerson({ role: roles.guest });
  subgroup = await addGroup(system, organisation);
  group = await addGroup(system, organisation, { members: [seeing.id], subgroups: [subgroup] });
  unrelated = await addGroup(system, organisation, { members: [guest.id] });
  await system.database.database.prisma.realm.update({
    where: { id: organisation.id },
    data: { canAccessAllUsersGroupId: group },
  });
});

const change = (id: number, members: Readonly<Record<string, unknown>>) =>
  owner.api.post(`/user_groups/${id}/members`, members);

const isAlive = async (client: EventClient): Promise<boolean> => {
  const { status, body } = await client.poll({ dont_block: true });
  if (status !== 200) expect(body).toMatchObject({ code: 'BAD_EVENT_QUEUE_ID' });
  return status === 200;
};

/** Which queues are left after a change: of the guest, of the one that sees everyone, of the owner. */
async function leftAfter(work: () => Promise<unknown>): Promise<boolean[]> {
  const clients = [];
  for (const { api } of [guest, seeing, owner]) clients.push(await EventClient.register(api));
  expect(await work()).toMatchObject(success);
  const left = [];
  for (const client of clients) left.push(await isAlive(client));
  return left;
}

describe(GuestQueuesModule.name, () => {
  it('ends the queues of a guest that sees all accounts from now on', async () => {
    expect(await leftAfter(() => change(group, { add: [guest.id] }))).toEqual([false, true, true]);
    const visible = (await EventClient.register(guest.api)).state['realm_users'];
    expect(visible).toContainEqual(expect.objectContaining({ user_id: owner.id, role: 100 }));
  });

  it('ends the queues of a guest that no longer sees all accounts', async () => {
    const remove = { delete: [seeing.id] };
    expect(await leftAfter(() => change(group, remove))).toEqual([true, false, true]);
  });

  it('ends them for a member of a subgroup, and for a new subgroup', async () => {
    const add = { add: [guest.id] };
    expect(await leftAfter(() => change(subgroup, add))).toEqual([false, true, true]);
    const removeSubgroup = () =>
      owner.api.post(`/user_groups/${group}/subgroups`, { delete: [subgroup] });
    expect(await leftAfter(removeSubgroup)).toEqual([false, true, true]);
    const addSubgroup = () =>
      owner.api.post(`/user_groups/${group}/subgroups`, { add: [unrelated] });
    expect(await leftAfter(addSubgroup)).toEqual([false, true, true]);
  });

  it('keeps the queues of guests that belong to another such group, and those of members', async () => {
    const add = { add: [owner.id, seeing.id] };
    expect(await leftAfter(() => change(subgroup, add))).toEqual([true, true, true]);
  });

  it('shows a guest that registers at the same moment what the guest sees from now on', async () => {
    const replies = await commitTogether(
      system,
      organisation,
      () => change(group, { add: [guest.id] }),
      () => guest.api.post('/register'),
    );
    expect(replies).toMatchObject([success, success]);
    expect(replies[1]?.body['realm_users']).toContainEqual(
      expect.objectContaining({ user_id: owner.id, role: 100 }),
    );
    const query = { queue_id: replies[1]?.body['queue_id'], last_event_id: -1, dont_block: true };
    expect(await guest.api.get('/events', query)).toMatchObject(success);
  });

  it('keeps all queues after a change of another group', async () => {
    const remove = { delete: [guest.id] };
    expect(await leftAfter(() => change(unrelated, remove))).toEqual([true, true, true]);
  });
});
