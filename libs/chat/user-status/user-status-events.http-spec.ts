import { beforeAll, describe, expect, it } from '@jest/globals';
import { AccountAudience, VisibleUsersRepository } from '#directory/guest-access';
import { roles } from '#directory/roles';
import { UserAccess, UserRepository } from '#directory/users';
import { EventLog, EventRepository } from '#events/log';
import { EventClient } from '#test/event-client';
import { addOrganisation } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { UserStatusEvents } from './user-status.events.js';
import { UserStatusRepository } from './user-status.repository.js';

const smile = { emoji_name: 'smile', emoji_code: '1f604', reaction_type: 'unicode_emoji' };
const audience = { everyone: 'all' };
const eventOf = (body: object, to: object = audience) => ({
  type: 'user_status',
  body,
  audience: to,
});

const system = useGateway();
let sut: UserStatusEvents;

beforeAll(async () => {
  const { database } = system.database;
  const visible = new VisibleUsersRepository(database);
  sut = new UserStatusEvents(
    new UserStatusRepository(database),
    new UserAccess(new UserRepository(database), visible),
    new AccountAudience(visible, new EventLog(new EventRepository(database))),
  );
});

describe(UserStatusEvents.name, () => {
  it('stores the parts that have changed', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const { id, api } = await organisation.addPerson();
    const status = (fields: Readonly<Record<string, string>>) => () =>
      api.post('/users/me/status', fields);
    const set = status({ status_text: 'Out', emoji_name: 'smile' });
    const [event] = await recorded.during(set);
    const { emoji_code } = (event as { body: typeof smile }).body;
    const emoji = { ...smile, emoji_code };
    expect(event).toEqual(eventOf({ user_id: id, status_text: 'Out', ...emoji }));
    expect(await recorded.during(set)).toEqual([]);
    expect(await recorded.stateOf(sut, { id })).toEqual({
      user_status: { [id]: { status_text: 'Out', ...emoji } },
    });

    expect(await recorded.during(status({ status_text: 'In', emoji_name: 'smile' }))).toEqual([
      eventOf({ user_id: id, status_text: 'In' }),
    ]);
    const none = { emoji_name: '', emoji_code: '', reaction_type: 'unicode_emoji' };
    expect(await recorded.during(status({ emoji_name: '' }))).toEqual([
      eventOf({ user_id: id, ...none }),
    ]);
    expect(await recorded.during(status({ status_text: '' }))).toEqual([
      eventOf({ user_id: id, status_text: '' }),
    ]);
    expect(await recorded.stateOf(sut, { id })).toEqual({ user_status: {} });
  });

  it('stores a change by an administrator', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const { id } = await organisation.addPerson();
    const { api } = await organisation.addPerson({ role: roles.administrator });
    const events = await recorded.during(() =>
      api.post(`/users/${id}/status`, { status_text: 'On leave' }),
    );
    expect(events).toEqual([eventOf({ user_id: id, status_text: 'On leave' })]);
  });

  it('hides a status from guests that may not see the user', async () => {
    const { prisma } = system.database.database;
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const members = await prisma.userGroup.findFirstOrThrow({
      where: { realmId: organisation.id, name: 'role:members' },
    });
    await prisma.realm.update({
      where: { id: organisation.id },
      data: { canAccessAllUsersGroupId: members.id },
    });
    const person = await organisation.addPerson();
    const [stranger, acquaintance] = [
      await organisation.addPerson({ role: roles.guest }),
      await organisation.addPerson({ role: roles.guest }),
    ];
    await prisma.channel.create({
      data: {
        realmId: organisation.id,
        name: 'Shared',
        subscriptions: { create: [{ userId: person.id }, { userId: acquaintance.id }] },
      },
    });
    const events = await recorded.during(() =>
      person.api.post('/users/me/status', { status_text: 'Out' }),
    );
    const body = { user_id: person.id, status_text: 'Out' };
    expect(events).toEqual([eventOf(body, { everyone: 'all', exceptIds: [stranger.id] })]);
    const seenBy = ({ id }: { readonly id: number }) =>
      recorded.stateOf(sut, { id, role: roles.guest });
    expect(await seenBy(stranger)).toEqual({ user_status: {} });
    expect(await seenBy(acquaintance)).toEqual({
      user_status: { [person.id]: { status_text: 'Out' } },
    });
  });

  it('stores that a user hides or shares presence, from either endpoint', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const { id, api } = await organisation.addPerson();
    const events = await recorded.during(async () => {
      await api.post('/users/me/status', { away: true });
      await api.patch('/settings', { presence_enabled: false });
      await api.patch('/settings', { presence_enabled: true });
    });
    const settings = { type: 'user_settings', audience: { userIds: [id] } };
    expect(events).toMatchObject([
      { ...settings, body: { property: 'presence_enabled', value: false } },
      eventOf({ user_id: id, away: true }),
      { ...settings, body: { property: 'presence_enabled', value: true } },
      eventOf({ user_id: id, away: false }),
    ]);
  });

  it('leaves out a deactivated account, and has its status after its reactivation', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const owner = await organisation.addPerson({ role: roles.owner });
    const { id, api } = await organisation.addPerson();
    await api.post('/users/me/status', { status_text: 'Out' });
    await owner.api.delete(`/users/${id}`);
    expect(await recorded.stateOf(sut, owner)).toEqual({ user_status: {} });
    const events = await recorded.during(() => owner.api.post(`/users/${id}/reactivate`));
    expect(events).toContainEqual(eventOf({ user_id: id, status_text: 'Out' }));
    expect(await recorded.stateOf(sut, owner)).toEqual({
      user_status: { [id]: { status_text: 'Out' } },
    });
  });

  it('has the accounts that do not share presence in the state', async () => {
    const organisation = await addOrganisation(system);
    const recorded = new RecordedEvents(system, organisation);
    const reader = await organisation.addPerson();
    const away = await organisation.addPerson({ isPresenceEnabled: false });
    expect(await recorded.stateOf(sut, reader)).toEqual({
      user_status: { [away.id]: { away: true } },
    });
  });

  it('is in new registrations, which share the statuses', async () => {
    const organisation = await addOrganisation(system);
    const { id, api } = await organisation.addPerson();
    const other = await organisation.addPerson({ role: roles.administrator });
    const registered = async () =>
      (await EventClient.register(other.api, { fetch_event_types: ['user_status'] })).state[
        'user_status'
      ];
    expect(await registered()).toEqual({});
    await api.post('/users/me/status', { status_text: 'Out' });
    expect(await registered()).toEqual({ [id]: { status_text: 'Out' } });
    await api.patch('/settings', { presence_enabled: false });
    expect(await registered()).toEqual({ [id]: { away: true, status_text: 'Out' } });
    await other.api.delete(`/users/${id}`);
    expect(await registered()).toEqual({});
    await other.api.post(`/users/${id}/reactivate`);
    expect(await registered()).toEqual({ [id]: { away: true, status_text: 'Out' } });
  });
});
