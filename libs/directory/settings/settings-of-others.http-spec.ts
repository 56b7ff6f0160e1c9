import { beforeEach, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { administratorsOnly, badRequest, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { EventClient } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';

const system = useGateway();
let organisation: Organisation;
let admin: Person;
let one: Person;
let other: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  admin = await organisation.addPerson({ role: roles.administrator });
  one = await organisation.addPerson();
  other = await organisation.addPerson();
});

const settingsOf = async ({ api }: Person) => {
  const { state } = await EventClient.register(api, { fetch_event_types: ['user_settings'] });
  return state['user_settings'];
};

const change = ({ api }: Person, targets: object, settings: object) =>
  api.patch('/settings', {
    target_users: { skip_if_already_edited: false, ...targets },
    ...settings,
  });

describe('PATCH /settings with target_users', () => {
  it('changes the settings of the named accounts, with their events, and not those of the caller', async () => {
    const client = await EventClient.register(one.api, { event_types: ['user_settings'] });
    const own = await EventClient.register(admin.api, { event_types: ['user_settings'] });
    expect(await change(admin, { user_ids: [one.id] }, { color_scheme: 2 })).toMatchObject(success);
    expect(await settingsOf(one)).toMatchObject({ color_scheme: 2 });
    expect(await settingsOf(other)).toMatchObject({ color_scheme: 1 });
    expect(await settingsOf(admin)).toMatchObject({ color_scheme: 1 });
    expect(await client.take()).toMatchObject([
      { type: 'user_settings', op: 'update', property: 'color_scheme', value: 2 },
    ]);
    await admin.api.patch('/settings', { enter_sends: true });
    expect(await own.take()).toMatchObject([{ property: 'enter_sends' }]);
  });

  it('changes the people of groups and of their subgroups, and no bots', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    const { prisma } = system.database.database;
    const inner = await prisma.userGroup.create({
      data: { realmId: organisation.id, name: 'inner' },
    });
    const outer = await prisma.userGroup.create({
      data: { realmId: organisation.id, name: 'outer' },
    });
    const members = [bot.id, one.id].map((userId) => ({ groupId: inner.id, userId }));
    await prisma.userGroupMember.createMany({ data: members });
    await prisma.userGroupSubgroup.create({
      data: { supergroupId: outer.id, subgroupId: inner.id },
    });
    expect(
      await change(admin, { group_ids: [outer.id], user_ids: [other.id] }, { enter_sends: true }),
    ).toMatchObject(success);
    for (const person of [one, other]) {
      expect(await settingsOf(person)).toMatchObject({ enter_sends: true });
    }
    expect(await settingsOf(bot)).toMatchObject({ enter_sends: false });
  });

  it('reads the members of all groups at once', async () => {
    const groups: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      groups.push(await addGroup(system, organisation, { members: [one.id] }));
    }
    let color = 1;
    const send = (group_ids: readonly number[]) =>
      countStatements(async () => {
        color = (color % 3) + 1;
        const reply = await change(admin, { group_ids }, { color_scheme: color });
        expect(reply).toMatchObject(success);
      });
    await send(groups);
    expect(await send(groups)).toBe(await send(groups.slice(0, 1)));
    expect(await settingsOf(one)).toMatchObject({ color_scheme: color });
  });

  it('keeps what an account has chosen itself, if asked to', async () => {
    const skipping = { user_ids: [one.id, other.id], skip_if_already_edited: true };
    await one.api.patch('/settings', { color_scheme: 2 });
    // Chosen, though it is the default again.
    await one.api.patch('/settings', { color_scheme: 1 });
    await change(admin, skipping, { color_scheme: 3, enter_sends: true });
    expect(await settingsOf(one)).toMatchObject({ color_scheme: 1, enter_sends: true });
    expect(await settingsOf(other)).toMatchObject({ color_scheme: 3, enter_sends: true });
    // What an administrator has set is not chosen by the account.
    await change(admin, skipping, { color_scheme: 2, enter_sends: false });
    expect(await settingsOf(one)).toMatchObject({ color_scheme: 1, enter_sends: false });
    expect(await settingsOf(other)).toMatchObject({ color_scheme: 2, enter_sends: false });
    await change(admin, { user_ids: [one.id] }, { color_scheme: 3 });
    expect(await settingsOf(one)).toMatchObject({ color_scheme: 3 });
  });

  it('takes what an account had changed before this was recorded for its choice', async () => {
    const { prisma } = system.database.database;
    const displaySettings = { color_scheme: 2 };
    await prisma.user.update({ where: { id: one.id }, data: { displaySettings } });
    const skipping = { user_ids: [one.id], skip_if_already_edited: true };
    await change(admin, skipping, { color_scheme: 3, enter_sends: true });
    await change(admin, skipping, { color_scheme: 3, enter_sends: false });
    expect(await settingsOf(one)).toMatchObject({ color_scheme: 2, enter_sends: false });
  });

  it('tells older clients of subscriptions that inherit the setting', async () => {
    const made = await one.api.post('/channels/create', {
      name: 'inherits',
      subscribers: [one.id],
    });
    const channel = made.body['id'];
    const client = await EventClient.register(one.api, { event_types: ['subscription'] });
    await change(admin, { user_ids: [one.id] }, { enable_stream_push_notifications: true });
    expect(await client.take()).toMatchObject([
      { op: 'update', property: 'push_notifications', value: true, stream_id: channel },
    ]);
  });

  it.each([
    { timezone: 'UTC' },
    { full_name: 'Another' },
    { presence_enabled: false },
    { send_read_receipts: false },
    { send_private_typing_notifications: false },
    { send_stream_typing_notifications: false },
  ])('refuses what only the account itself may change: %j', async (settings) => {
    const before = await settingsOf(one);
    expect(await change(admin, { user_ids: [one.id] }, settings)).toMatchObject(
      badRequest('Cannot change this setting for other users.'),
    );
    expect(await settingsOf(one)).toEqual(before);
  });

  it('refuses members, unknown accounts and groups, and a change for nobody', async () => {
    const foreign = await (await addOrganisation(system)).addPerson();
    expect(await change(one, { user_ids: [other.id] }, { enter_sends: true })).toMatchObject(
      administratorsOnly,
    );
    for (const id of [foreign.id, 0, 2 ** 40]) {
      expect(await change(admin, { user_ids: [one.id, id] }, { enter_sends: true })).toMatchObject(
        badRequest(`Invalid user ID: ${id}`),
      );
      expect(await change(admin, { group_ids: [id] }, { enter_sends: true })).toMatchObject(
        badRequest('Invalid user group'),
      );
    }
    expect(await change(admin, {}, { enter_sends: true })).toMatchObject(
      badRequest('Either user_ids or group_ids must be provided.'),
    );
    expect(await settingsOf(one)).toMatchObject({ enter_sends: false });
    for (const person of [one, admin]) {
      expect(await settingsOf(person)).toMatchObject({ enter_sends: false });
    }
  });
});
