import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup } from '#test/user-groups';
import { channelsOf, namesOf } from '../channels-organisation.fixture.js';
import {
  kindsOf,
  newName,
  SUBSCRIPTIONS,
  unsubscribe,
  useSubscribing,
} from './subscribing.fixture.js';

const system = useGateway();
const { world, recorded, admin, member, other, guest } = useSubscribing(system);

describe('Unsubscribing', () => {
  it('ends the own subscription; the channel stays', async () => {
    const name = newName();
    const id = await world.addChannel(name, {}, [member]);
    const idle = newName();
    await world.addChannel(idle);
    const events = await recorded.during(async () => {
      const reply = await unsubscribe(member, [name, idle]);
      expect(reply.body).toMatchObject({ removed: [name], not_removed: [idle] });
    });
    expect(events).toEqual([
      {
        type: 'subscription',
        body: { op: 'remove', subscriptions: [{ stream_id: id, name }] },
        audience: { userIds: [member.id] },
      },
      {
        type: 'subscription',
        body: { op: 'peer_remove', user_ids: [member.id], stream_ids: [id] },
        audience: { everyone: 'members', exceptIds: [member.id] },
      },
    ]);
    expect(namesOf(await member.api.get('/streams'))).toContain(name);
  });

  it('informs each of several accounts that leave together of the others', async () => {
    const name = newName();
    await world.addChannel(name, {}, [member, other]);
    const client = await EventClient.register(member.api, { event_types: ['subscription'] });
    await unsubscribe(admin, [name], { principals: [member.id, other.id] });
    expect(await client.drain()).toMatchObject([
      { op: 'remove' },
      { op: 'peer_remove', user_ids: [other.id] },
    ]);
  });

  it('hides a private channel from those who leave it, and a public one from guests', async () => {
    const [hidden, open] = [newName(), newName()];
    const ids = [
      await world.addChannel(hidden, { isPrivate: true }, [member, admin]),
      await world.addChannel(open, {}, [guest]),
    ];
    const left = await recorded.during(() => unsubscribe(member, [hidden]));
    expect(kindsOf(left)).toEqual([
      ['subscription', 'remove', { userIds: [member.id] }],
      ['stream', 'delete', { userIds: [member.id] }],
      ['subscription', 'peer_remove', { userIds: [admin.id] }],
    ]);
    expect(left[1]).toMatchObject({
      body: { streams: [{ stream_id: ids[0] }], stream_ids: [ids[0]] },
    });
    expect(kindsOf(await recorded.during(() => unsubscribe(guest, [open])))).toEqual([
      ['subscription', 'remove', { userIds: [guest.id] }],
      ['stream', 'delete', { userIds: [guest.id] }],
      ['subscription', 'peer_remove', { everyone: 'members', exceptIds: [guest.id] }],
    ]);
  });

  it('is forgotten when the account loses sight of the channel through a group or a role', async () => {
    const { organisation } = world;
    const owner = await organisation.addPerson({ role: roles.owner });
    const person = await organisation.addPerson({ role: roles.administrator });
    const canSubscribeId = await addGroup(system, organisation, { members: [member.id] });
    const name = newName();
    const id = await world.addChannel(name, { isPrivate: true, canSubscribeId }, [member, person]);
    for (const one of [member, person])
      expect(await unsubscribe(one, [name])).toMatchObject(success);
    const setMember = (fields: Readonly<Record<string, unknown>>) =>
      owner.api.post(`/user_groups/${canSubscribeId}/members`, fields);
    const setRole = (role: number) => owner.api.patch(`/users/${person.id}`, { role });
    const away = [setMember({ delete: [member.id] }), setRole(roles.member)];
    for (const reply of await Promise.all(away)) expect(reply).toMatchObject(success);
    const back = [setMember({ add: [member.id] }), setRole(roles.administrator)];
    for (const reply of await Promise.all(back)) expect(reply).toMatchObject(success);
    for (const { api } of [member, person]) {
      const { body } = await api.post('/register', { fetch_event_types: ['subscription'] });
      const known = { stream_id: id };
      expect(body['unsubscribed']).not.toContainEqual(expect.objectContaining(known));
      expect(body['never_subscribed']).toContainEqual(expect.objectContaining(known));
    }
  });

  it('refuses unknown and hidden channels', async () => {
    const name = newName();
    await world.addChannel(name, { isPrivate: true }, [other]);
    expect(await unsubscribe(member, [name, 'nowhere'])).toMatchObject(
      badRequest(`Channel(s) (${name}, nowhere) do not exist`),
    );
  });

  it('does not tell guests of accounts that they may not see', async () => {
    const { id: realmId } = world.organisation;
    const { prisma } = system.database.database;
    const hidden = await world.organisation.addPerson();
    const { email } = await prisma.user.findUniqueOrThrow({ where: { id: hidden.id } });
    const canAccessAllUsersGroupId = await world.systemGroup('role:members');
    const name = newName();
    await world.addChannel(name, {}, [guest, other]);
    const set = (id: number | null) =>
      prisma.realm.update({ where: { id: realmId }, data: { canAccessAllUsersGroupId: id } });
    await set(canAccessAllUsersGroupId);
    for (const principals of [[hidden.id], [email], [2_000_000_000]]) {
      expect(await unsubscribe(guest, [name], { principals })).toMatchObject(
        badRequest('No such user'),
      );
    }
    expect(await unsubscribe(guest, [name], { principals: [other.id] })).toMatchObject(
      badRequest('Insufficient permission'),
    );
    await set(null);
  });

  it('of others is for administrators, holders of the permission, and owners of bots', async () => {
    const name = newName();
    const bot = await world.organisation.addPerson({ isBot: true, botOwnerId: member.id });
    const id = await world.addChannel(name, {}, [other, bot, member]);
    const principals = [other.id];
    expect(await unsubscribe(member, [name], { principals })).toMatchObject(
      badRequest('Insufficient permission'),
    );
    expect(await unsubscribe(member, [name], { principals: [bot.id] })).toMatchObject(success);
    const canRemoveSubscribersId = await world.addAnonymousGroup([member.id], []);
    await system.database.database.prisma.channel.update({
      where: { id },
      data: { canRemoveSubscribersId },
    });
    expect(await unsubscribe(member, [name], { principals })).toMatchObject(success);
    expect(await unsubscribe(admin, [name], { principals: [member.id] })).toMatchObject({
      body: { removed: [name], not_removed: [] },
    });
  });

  it('of others is not for guests, also as holders of the permission', async () => {
    const holders = await world.addAnonymousGroup([guest.id], []);
    const permissions = [{ canRemoveSubscribersId: holders }, { canAdministerChannelId: holders }];
    for (const permission of permissions) {
      const name = newName();
      await world.addChannel(name, permission, [guest, other]);
      expect(await unsubscribe(guest, [name], { principals: [other.id] })).toMatchObject(
        badRequest('Insufficient permission'),
      );
    }
  });

  it('is possible together with new subscriptions', async () => {
    const [old, idle, found, made] = [newName(), newName(), newName(), newName()];
    await world.addChannel(old, {}, [member]);
    await world.addChannel(idle);
    await world.addChannel(found);
    const add = [
      { name: found, color: '#FA0' },
      { name: made, description: 'New' },
    ];
    expect(await member.api.patch(SUBSCRIPTIONS, { add, delete: [old, idle] })).toMatchObject({
      ...success,
      body: {
        subscribed: { [member.id]: expect.arrayContaining([found, made]) },
        already_subscribed: {},
        removed: [old],
        not_removed: [idle],
      },
    });
    const { body } = await member.api.get(SUBSCRIPTIONS);
    expect(body['subscriptions']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: found, color: '#ffaa00' }),
        expect.objectContaining({ name: made, description: 'New' }),
      ]),
    );
  });

  it('by PATCH needs a change, and guests only leave', async () => {
    const name = newName();
    await world.addChannel(name, {}, [guest]);
    expect(await member.api.patch(SUBSCRIPTIONS, {})).toMatchObject(
      badRequest('Nothing to do. Specify at least one of "add" or "delete".'),
    );
    expect(await guest.api.patch(SUBSCRIPTIONS, { add: [{ name }] })).toMatchObject(
      badRequest('Not allowed for guest users'),
    );
    expect(await guest.api.patch(SUBSCRIPTIONS, { delete: [name] })).toMatchObject({
      ...success,
      body: { subscribed: {}, removed: [name] },
    });
  });
});

describe('The settings of a subscription', () => {
  const change = ({ api }: Person, ...changes: [number, string, unknown][]) =>
    api.post(`${SUBSCRIPTIONS}/properties`, {
      subscription_data: changes.map(([stream_id, property, value]) => ({
        stream_id,
        property,
        value,
      })),
    });

  it('are changed together, with an event for each change', async () => {
    const person = await world.organisation.addPerson();
    const id = await world.addChannel(newName(), {}, [person]);
    const events = await recorded.during(async () => {
      expect(
        await change(
          person,
          [id, 'color', '#FA0'],
          [id, 'in_home_view', false],
          [id, 'pin_to_top', false],
          [id, 'push_notifications', true],
        ),
      ).toMatchObject(success);
    });
    const updated = (property: string, value: unknown) => ({
      type: 'subscription',
      body: { op: 'update', stream_id: id, property, value },
      audience: { userIds: [person.id] },
    });
    expect(events).toEqual([
      updated('color', '#ffaa00'),
      updated('is_muted', true),
      updated('in_home_view', false),
      updated('push_notifications', true),
    ]);
    expect(channelsOf(await person.api.get(SUBSCRIPTIONS))).toMatchObject([
      { color: '#ffaa00', is_muted: true, pin_to_top: false, push_notifications: true },
    ]);
  });

  it('refuse wrong properties and values, and channels without a subscription', async () => {
    const person = await world.organisation.addPerson();
    const id = await world.addChannel(newName(), {}, [person]);
    const foreign = await world.addChannel(newName());
    expect(await change(person, [id, 'role', true])).toMatchObject(
      badRequest('Unknown subscription property: role'),
    );
    expect(await change(person, [id, 'is_muted', 'yes'])).toMatchObject(
      badRequest('is_muted is not a boolean'),
    );
    expect(await change(person, [id, 'color', 'red'])).toMatchObject(
      badRequest('Invalid subscription_data[0]: Value error, color is not a valid hex color code'),
    );
    for (const unknown of [foreign, 2 ** 31, 2 ** 40, -1]) {
      expect(
        await change(person, [id, 'is_muted', true], [unknown, 'is_muted', true]),
      ).toMatchObject(badRequest(`Not subscribed to channel ID ${unknown}`));
    }
    expect(channelsOf(await person.api.get(SUBSCRIPTIONS))).toMatchObject([{ is_muted: false }]);
  });
});
