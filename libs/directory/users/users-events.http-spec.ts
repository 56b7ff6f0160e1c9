import { beforeEach, describe, expect, it } from '@jest/globals';
import { avatarUrl } from '#directory/avatars';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { addGroup, systemGroupIds } from '#test/user-groups';
import { UserEvents } from './users.events.js';

const system = useGateway();
let organisation: Organisation;
let owner: Person;
let recorded: RecordedEvents;
let groups: Readonly<Record<string, number>>;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
  recorded = new RecordedEvents(system, organisation);
  groups = await systemGroupIds(system, organisation);
});

const prisma = () => system.database.database.prisma;
const everyone = { everyone: 'all' } as const;
const newUser = (name: string) => ({
  email: `${name}@chat.test`,
  full_name: name,
  password: 'a long and unusual password',
});
const accountEvent = (person: object, audience: object = everyone) => ({
  type: 'realm_user',
  body: { op: 'update', person },
  audience,
});
const joined = (groupId: number | undefined, ...userIds: number[]) => ({
  type: 'user_group',
  body: { op: 'add_members', group_id: groupId, user_ids: userIds },
  audience: everyone,
});

const idOf = async (fullName: string): Promise<number> => {
  const where = { realmId: organisation.id, fullName };
  return (await prisma().user.findFirstOrThrow({ where })).id;
};

/** Guests then see only accounts that share a channel with them. */
const limitGuests = async (): Promise<Person> => {
  await prisma().realm.update({
    where: { id: organisation.id },
    data: { canAccessAllUsersGroupId: groups['role:members']! },
  });
  return organisation.addPerson({ role: roles.guest });
};

const shareChannel = async (...people: readonly Person[]): Promise<void> => {
  await prisma().channel.create({
    data: {
      realmId: organisation.id,
      name: 'shared',
      subscriptions: { create: people.map(({ id: userId }) => ({ userId })) },
    },
  });
};

describe(`${UserEvents.name}: new accounts`, () => {
  it('stores the account and its groups, for everyone', async () => {
    let id = 0;
    const events = await recorded.during(async () => {
      const reply = await owner.api.post('/users', newUser('Newcomer'));
      expect(reply).toMatchObject(success);
      id = Number(reply.body['user_id']);
    });
    const { body } = await owner.api.get(`/users/${id}`, { include_custom_profile_fields: true });
    const person = { ...(body['user'] as object), avatar_url: avatarUrl(id) };
    expect(events).toEqual([
      { type: 'realm_user', body: { op: 'add', person }, audience: everyone },
      joined(groups['role:fullmembers'], id),
      joined(groups['role:members'], id),
    ]);
    expect(person).toMatchObject({ user_id: id, is_active: true, profile_data: {} });
  });

  it('stores nothing for a refused account', async () => {
    const events = await recorded.during(async () => {
      await owner.api.post('/users', { ...newUser('Newcomer'), email: owner.email });
    });
    expect(events).toEqual([]);
  });

  it('stores a substitute for guests that may not see the account', async () => {
    const guest = await limitGuests();
    const events = await recorded.during(() => owner.api.post('/users', newUser('Hidden')));
    const id = await idOf('Hidden');
    const subdomain = organisation.host.split('.')[0];
    expect(events).toMatchObject([
      { type: 'realm_user', body: { op: 'add' }, audience: { exceptIds: [guest.id] } },
      {
        type: 'realm_user',
        body: { op: 'add', substitute: { user_id: id, subdomain } },
        audience: { userIds: [guest.id] },
      },
      { type: 'user_group' },
      { type: 'user_group' },
    ]);
  });

  it('shows the account to a guest in a default channel', async () => {
    const guest = await limitGuests();
    await shareChannel(guest);
    const isDefault = { where: { realmId: organisation.id }, data: { isDefault: true } };
    await prisma().channel.updateMany(isDefault);
    const events = await recorded.during(() => owner.api.post('/users', newUser('Seen')));
    const ofAccounts = events.filter((event) => 'type' in event && event.type === 'realm_user');
    expect(ofAccounts).toMatchObject([{ body: { op: 'add' }, audience: everyone }]);
  });
});

describe(`${UserEvents.name}: changed accounts`, () => {
  it('stores a new name once', async () => {
    const events = await recorded.during(async () => {
      await owner.api.patch('/settings', { full_name: 'New Name' });
      await owner.api.patch('/settings', { full_name: 'New Name' });
      await owner.api.patch('/settings', { full_name: 'x' });
    });
    expect(events).toEqual([accountEvent({ user_id: owner.id, full_name: 'New Name' })]);
  });

  it('stores a new time zone once, with the address', async () => {
    const events = await recorded.during(async () => {
      await owner.api.patch('/settings', { timezone: 'Europe/Paris' });
      await owner.api.patch('/settings', { timezone: 'Europe/Paris' });
    });
    const person = { user_id: owner.id, email: owner.email, timezone: 'Europe/Paris' };
    expect(events).toContainEqual(accountEvent(person));
    expect(events.filter((event) => 'type' in event && event.type === 'realm_user')).toHaveLength(
      1,
    );
  });

  it('omits only the guests that may not see the account', async () => {
    const guest = await limitGuests();
    const other = await organisation.addPerson({ role: roles.guest });
    const person = await organisation.addPerson();
    await shareChannel(other, person);
    const events = await recorded.during(async () => {
      await person.api.patch('/settings', { full_name: 'Shy Person' });
      await guest.api.patch('/settings', { full_name: 'Shy Guest' });
    });
    expect(events).toEqual([
      accountEvent(
        { user_id: person.id, full_name: 'Shy Person' },
        { ...everyone, exceptIds: [guest.id] },
      ),
      accountEvent(
        { user_id: guest.id, full_name: 'Shy Guest' },
        { ...everyone, exceptIds: [other.id] },
      ),
    ]);
  });

  it('stores the last of concurrent names last', async () => {
    const names = ['Name one', 'Name two', 'Name three', 'Name four'];
    const events = await recorded.during(() =>
      Promise.all(names.map((full_name) => owner.api.patch('/settings', { full_name }))),
    );
    const { fullName } = await prisma().user.findUniqueOrThrow({ where: { id: owner.id } });
    expect(events.at(-1)).toEqual(accountEvent({ user_id: owner.id, full_name: fullName }));
    expect(events).toHaveLength(names.length);
  });
});

describe(`${UserEvents.name}: activation`, () => {
  const signedOut = (userId: number, body: object = { reason: 'deactivation' }) => ({
    type: 'signed_out',
    body,
    audience: { userIds: [userId] },
  });

  it('stores the deactivation of an account and its bots, once', async () => {
    const person = await organisation.addPerson();
    const bot = await organisation.addPerson({ isBot: true });
    await prisma().user.update({ where: { id: bot.id }, data: { botOwnerId: person.id } });
    const events = await recorded.during(async () => {
      await owner.api.delete(`/users/${person.id}`);
      await owner.api.delete(`/users/${person.id}`);
    });
    expect(events).toEqual([
      accountEvent({ user_id: person.id, is_active: false }),
      accountEvent({ user_id: bot.id, is_active: false }),
      signedOut(person.id),
      signedOut(bot.id),
    ]);
  });

  it('stores the deactivation of the own account', async () => {
    const person = await organisation.addPerson();
    const events = await recorded.during(() => person.api.delete('/users/me'));
    expect(events).toEqual([
      accountEvent({ user_id: person.id, is_active: false }),
      signedOut(person.id),
    ]);
  });

  it('stores a reactivation and the groups of the account, once', async () => {
    const person = await organisation.addPerson({ isActive: false });
    const group = await addGroup(system, organisation, { members: [person.id] });
    const events = await recorded.during(async () => {
      await owner.api.post(`/users/${person.id}/reactivate`);
      await owner.api.post(`/users/${person.id}/reactivate`);
    });
    expect(events).toEqual([
      accountEvent({ user_id: person.id, is_active: true }),
      joined(groups['role:fullmembers'], person.id),
      joined(groups['role:members'], person.id),
      joined(group, person.id),
    ]);
  });

  it('stores the permissions that the account holds', async () => {
    const person = await organisation.addPerson();
    const holders = await addGroup(system, organisation, {
      name: null,
      members: [person.id, owner.id],
    });
    const group = await addGroup(system, organisation, { canManageId: holders });
    const update = (...direct_members: number[]) => ({
      type: 'user_group',
      body: {
        op: 'update',
        group_id: group,
        data: { can_manage_group: { direct_members, direct_subgroups: [] } },
      },
      audience: everyone,
    });
    const left = await recorded.during(() => owner.api.delete(`/users/${person.id}`));
    expect(left).toContainEqual(update(owner.id));
    const back = await recorded.during(() => owner.api.post(`/users/${person.id}/reactivate`));
    expect(back.at(-1)).toEqual(update(owner.id, person.id));
  });

  it('stores the permissions of the organisation that the account holds', async () => {
    const person = await organisation.addPerson();
    const holders = await addGroup(system, organisation, {
      name: null,
      members: [person.id, owner.id],
    });
    const data = { canCreateUsersGroupId: holders, canManageAllGroupsId: holders };
    await prisma().realm.update({ where: { id: organisation.id }, data });
    const update = (...direct_members: number[]) => {
      const value = { direct_members, direct_subgroups: [] };
      return {
        type: 'realm',
        body: {
          op: 'update_dict',
          property: 'default',
          data: { can_create_users_group: value, can_manage_all_groups: value },
        },
        audience: everyone,
      };
    };
    const left = await recorded.during(() => owner.api.delete(`/users/${person.id}`));
    expect(left).toContainEqual(update(owner.id));
    const back = await recorded.during(() => owner.api.post(`/users/${person.id}/reactivate`));
    expect(back.at(-1)).toEqual(update(owner.id, person.id));
  });

  it('stores the end of the sign-in with a new key', async () => {
    const person = await organisation.addPerson();
    const events = await recorded.during(async () => {
      await person.api.post('/users/me/api_key/regenerate');
      await person.api.post('/users/me/api_key/regenerate');
    });
    expect(events).toEqual([signedOut(person.id, { reason: 'key', keyGeneration: 1 })]);
  });
});
