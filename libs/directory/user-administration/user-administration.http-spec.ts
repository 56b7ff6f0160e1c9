import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { commitTogether } from '#test/commit-together';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup, systemGroupIds } from '#test/user-groups';

const system = useGateway();
let organisation: Organisation;
let owner: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
});

const change = (by: Person, whom: Person | string, fields: Readonly<Record<string, unknown>>) =>
  by.api.patch(`/users/${typeof whom === 'string' ? whom : whom.id}`, fields);
const shown = async (person: Person) =>
  (await owner.api.get(`/users/${person.id}`)).body['user'] as Readonly<Record<string, unknown>>;
const prisma = () => system.database.database.prisma;
const addChannel = (name: string, more: object = {}) =>
  prisma().channel.create({ data: { realmId: organisation.id, name, ...more } });
const administratorOnly = badRequest('Insufficient permission');
const ownerOnly = { status: 400, body: { msg: 'Must be an organization owner' } };

describe('PATCH /users/{user_id}', () => {
  it('changes name and role in one request, and sends events to everyone', async () => {
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const client = await EventClient.register(other.api, { event_types: ['realm_user'] });
    const fields = { full_name: ' New Name ', role: roles.moderator };
    expect(await change(owner, person, fields)).toMatchObject(success);
    expect(await shown(person)).toMatchObject({ full_name: 'New Name', role: roles.moderator });
    expect(await client.drain()).toMatchObject([
      { op: 'update', person: { user_id: person.id, role: roles.moderator } },
      { op: 'update', person: { user_id: person.id, full_name: 'New Name' } },
    ]);
    expect(await change(owner, person, fields)).toMatchObject(success);
    expect(await change(owner, person, {})).toMatchObject(success);
    expect(await client.drain()).toEqual([]);
  });

  it('finds an account by its address, also a deactivated one', async () => {
    const person = await organisation.addPerson({ isActive: false });
    expect(await change(owner, person.email, { full_name: 'Gone' })).toMatchObject(success);
    expect(await change(owner, person, { role: roles.guest })).toMatchObject(success);
    expect(await shown(person)).toMatchObject({ full_name: 'Gone', role: roles.guest });
  });

  it('changes nothing if one value is invalid', async () => {
    const person = await organisation.addPerson();
    const fields = { role: roles.administrator, full_name: 'x' };
    expect(await change(owner, person, fields)).toMatchObject(badRequest('Name too short!'));
    expect(await shown(person)).toMatchObject({ role: roles.member });
    const role = { role: 300.5 };
    expect(await change(owner, person, role)).toMatchObject({ status: 400 });
    expect(await change(owner, person, { role: 500 })).toMatchObject(badRequest('Invalid role'));
  });

  it('requires an owner for an account that becomes an owner at the same moment', async () => {
    const [admin, member] = [
      await organisation.addPerson({ role: roles.administrator }),
      await organisation.addPerson(),
    ];
    const replies = await commitTogether(
      system,
      organisation,
      () => change(owner, member, { role: roles.owner }),
      () => change(admin, member, { role: roles.guest }),
    );
    expect(replies).toMatchObject([success, ownerOnly]);
  });

  it('requires an administrator, and for owners an owner', async () => {
    const [admin, member] = [
      await organisation.addPerson({ role: roles.administrator }),
      await organisation.addPerson(),
    ];
    expect(await change(member, member, { full_name: 'Me' })).toMatchObject(administratorOnly);
    expect(await change(admin, member, { role: roles.owner })).toMatchObject(ownerOnly);
    expect(await change(admin, owner, { role: roles.member })).toMatchObject(ownerOnly);
    expect(await change(admin, owner, { full_name: 'The Owner' })).toMatchObject(success);
    expect(await change(admin, '2147483648', {})).toMatchObject(badRequest('No such user'));
    const foreigner = String(system.user('alice').user_id);
    expect(await change(owner, foreigner, {})).toMatchObject(badRequest('No such user'));
    const { body } = await owner.api.post('/register', { fetch_event_types: ['realm_user'] });
    const [bot] = body['cross_realm_bots'] as { user_id: number }[];
    const refused = await change(owner, String(bot?.user_id), { full_name: 'Mine' });
    expect(refused).toMatchObject(badRequest('No such user'));
  });

  it('fills the profile, also fields that the account may not edit', async () => {
    const person = await organisation.addPerson();
    const field = await prisma().profileField.create({
      data: { realmId: organisation.id, name: 'Rank', fieldType: 1, isUserEditable: false },
    });
    const profile_data = [{ id: field.id, value: 'Captain' }];
    expect(await change(owner, person, { profile_data })).toMatchObject(success);
    const query = { include_custom_profile_fields: true };
    const { body } = await person.api.get(`/users/${person.id}`, query);
    expect(body['user']).toMatchObject({ profile_data: { [field.id]: { value: 'Captain' } } });
  });
});

describe('PATCH /users/{user_id}: the role', () => {
  it('holds at once, in system groups too', async () => {
    const person = await organisation.addPerson();
    const target = await organisation.addPerson();
    const groups = await systemGroupIds(system, organisation);
    const client = await EventClient.register(owner.api, { event_types: ['user_group'] });
    await change(owner, person, { role: roles.administrator });
    expect(await change(person, target, { full_name: 'Renamed' })).toMatchObject(success);
    const moved = { user_ids: [person.id] };
    expect(await client.drain()).toMatchObject([
      { op: 'remove_members', group_id: groups['role:fullmembers'], ...moved },
      { op: 'remove_members', group_id: groups['role:members'], ...moved },
      { op: 'add_members', group_id: groups['role:administrators'], ...moved },
    ]);
    await change(owner, person, { role: roles.member });
    expect(await change(person, target, { full_name: 'Again' })).toMatchObject(administratorOnly);
  });

  it('shows and hides private channels', async () => {
    const person = await organisation.addPerson();
    const moderatorsId = (await systemGroupIds(system, organisation))['role:moderators'] ?? 0;
    const hidden = await addChannel('hidden', {
      isPrivate: true,
      subscriptions: { create: { userId: owner.id } },
    });
    const granted = await addChannel('granted', { isPrivate: true, canSubscribeId: moderatorsId });
    const old = await addChannel('old', { isPrivate: true, archivedAt: new Date() });
    await addChannel('public');
    const types = { event_types: ['stream', 'subscription'] };
    const client = await EventClient.register(person.api, types);
    const capable = { ...types, client_capabilities: { archived_channels: true } };
    const archive = await EventClient.register(person.api, capable);
    await change(owner, person, { role: roles.moderator });
    expect(await client.drain()).toMatchObject([
      { type: 'stream', op: 'create', streams: [{ stream_id: granted.id, name: 'granted' }] },
    ]);
    await change(owner, person, { role: roles.administrator });
    const peers = { stream_ids: [hidden.id], user_ids: [owner.id] };
    expect(await client.drain()).toMatchObject([
      { type: 'stream', op: 'create', streams: [{ stream_id: hidden.id }] },
      { type: 'subscription', op: 'peer_add', ...peers },
    ]);
    expect(await archive.drain()).toContainEqual(
      expect.objectContaining({
        op: 'create',
        streams: [expect.objectContaining({ stream_id: old.id })],
      }),
    );
    await change(owner, person, { role: roles.member });
    const gone = (await client.drain()).map(({ op, stream_ids }) => ({ op, stream_ids }));
    expect(gone).toEqual(
      expect.arrayContaining([
        { op: 'delete', stream_ids: [hidden.id] },
        { op: 'delete', stream_ids: [granted.id] },
      ]),
    );
    expect(gone).toHaveLength(2);
  });

  it('ends the queues of an account that becomes a guest or sees hidden addresses', async () => {
    const [person, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const client = await EventClient.register(person.api);
    const others = await EventClient.register(other.api, { event_types: ['realm_user'] });
    await change(owner, person, { role: roles.guest });
    const poll = await client.poll({ dont_block: true });
    expect(poll).toMatchObject({ status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
    expect(await others.drain()).toMatchObject([{ person: { role: roles.guest } }]);
    await prisma().user.update({ where: { id: person.id }, data: { email: 'shown@chat.test' } });
    await change(owner, other, { role: roles.administrator });
    expect(await others.poll({ dont_block: true })).toMatchObject({ status: 400 });
  });

  it('stays with the only owner', async () => {
    const only = badRequest(
      'The owner permission cannot be removed from the only organization owner.',
    );
    await organisation.addPerson({ role: roles.owner, isActive: false });
    expect(await change(owner, owner, { role: roles.member })).toMatchObject(only);
    const second = await organisation.addPerson({ role: roles.owner });
    const replies = await Promise.all([
      change(owner, second, { role: roles.member }),
      change(second, owner, { role: roles.member }),
    ]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    const where = { realmId: organisation.id, role: roles.owner, isActive: true };
    expect(await prisma().user.count({ where })).toBe(1);
  });

  it('leaves groups that people are in alone', async () => {
    const person = await organisation.addPerson();
    const groupId = await addGroup(system, organisation, { members: [person.id] });
    const client = await EventClient.register(owner.api, { event_types: ['user_group'] });
    await change(owner, person, { role: roles.moderator });
    expect((await client.drain()).map(({ group_id }) => group_id)).not.toContain(groupId);
  });
});
