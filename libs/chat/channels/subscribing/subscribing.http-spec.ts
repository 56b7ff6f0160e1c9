import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { countStatements } from '#test/count-statements';
import { EventClient } from '#test/event-client';
import { commitTogether } from '#test/commit-together';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { channelsOf, namesOf, OrganisationOfChannels } from '../channels-organisation.fixture.js';
import {
  type Event,
  kindsOf,
  newName,
  SUBSCRIPTIONS,
  unsubscribe,
  useSubscribing,
} from './subscribing.fixture.js';

const system = useGateway();
const { world, recorded, admin, member, other, guest } = useSubscribing(system);

const subscribe = ({ api }: Person, channels: unknown[], fields: object = {}) =>
  api.post(SUBSCRIPTIONS, {
    subscriptions: channels.map((one) => (typeof one === 'string' ? { name: one } : one)),
    ...fields,
  });

const namesFor = async ({ api }: Person) => namesOf(await api.get(SUBSCRIPTIONS));

describe('Subscribing', () => {
  it('creates a channel that does not exist, with the properties of the request', async () => {
    const name = newName();
    const reply = await subscribe(
      member,
      [{ name: ` ${name} `, color: '#ABC', description: 'First\nsecond' }],
      {
        invite_only: true,
        history_public_to_subscribers: true,
        topics_policy: 'disable_empty_topic',
        can_send_message_group: { direct_members: [member.id], direct_subgroups: [] },
        can_subscribe_group: await world.systemGroup('role:members'),
      },
    );
    expect(reply).toMatchObject({
      ...success,
      body: { subscribed: { [member.id]: [name] }, already_subscribed: {} },
    });
    expect(reply.body).not.toHaveProperty('unauthorized');
    const own = channelsOf(await member.api.get(SUBSCRIPTIONS, { include_subscribers: true }));
    expect(own.find((one) => one['name'] === name)).toMatchObject({
      color: '#aabbcc',
      description: 'First second',
      invite_only: true,
      history_public_to_subscribers: true,
      topics_policy: 'disable_empty_topic',
      creator_id: member.id,
      subscribers: [member.id],
      can_send_message_group: { direct_members: [member.id], direct_subgroups: [] },
      can_administer_channel_group: { direct_members: [member.id], direct_subgroups: [] },
      can_subscribe_group: await world.systemGroup('role:members'),
    });
  });

  it('sends events for the new channel, then the subscription, then the subscribers', async () => {
    const name = newName();
    const events = await recorded.during(() =>
      subscribe(member, [name], { principals: [member.id, guest.id] }),
    );
    const both = [member.id, guest.id];
    // The rest follows from the first message of the channel.
    expect(kindsOf(events).slice(0, 3)).toEqual([
      ['stream', 'create', { everyone: 'members', userIds: [guest.id] }],
      ['subscription', 'add', { userIds: both }],
      ['subscription', 'peer_add', { everyone: 'members', exceptIds: both }],
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'message',
        audience: { userIds: expect.arrayContaining([guest.id]) },
      }),
    );
  });

  it('shows a private channel to its new subscribers, and its subscribers to others', async () => {
    const holder = await world.organisation.addPerson();
    const canSubscribeId = await world.addAnonymousGroup([holder.id], []);
    const traits = { isPrivate: true, canSubscribeId };
    const name = newName();
    const id = await world.addChannel(name, traits, [member]);
    const events = await recorded.during(() =>
      subscribe(member, [name], { principals: [other.id, holder.id, guest.id, member.id] }),
    );
    const shown = (events as Event[]).find(({ type }) => type === 'stream');
    expect(shown?.body['streams']).toMatchObject([{ stream_id: id, subscriber_count: 4 }]);
    const joined = [other.id, guest.id, holder.id];
    expect(kindsOf(events)).toEqual([
      ['stream', 'create', { userIds: [other.id, guest.id] }],
      ['subscription', 'add', { userIds: joined }],
      ['subscription', 'peer_add', { userIds: [admin.id, member.id] }],
    ]);
  });

  it('repeats without a change, and keeps the settings of a former subscriber', async () => {
    const name = newName();
    await subscribe(member, [{ name, color: '#123456' }]);
    const again = await subscribe(member, [name.toUpperCase(), name]);
    expect(again.body).toMatchObject({
      subscribed: {},
      already_subscribed: { [member.id]: [name] },
    });
    await unsubscribe(member, [name]);
    expect(await namesFor(member)).not.toContain(name);
    expect(await recorded.during(() => subscribe(member, [name]))).toMatchObject([
      { body: { op: 'add', subscriptions: [{ name, color: '#123456' }] } },
      { body: { op: 'peer_add' } },
    ]);
  });

  it.each([
    ['a private channel', { isPrivate: true }],
    ['an archived channel', { archivedAt: new Date() }],
  ])('refuses %s', async (_, traits) => {
    const name = newName();
    const open = newName();
    await world.addChannel(name, traits);
    expect(await subscribe(member, [open, name])).toMatchObject(
      badRequest(`Unable to access channel (${name}).`),
    );
    expect(await namesFor(member)).not.toContain(open);
    const lenient = await subscribe(member, [open, name], { authorization_errors_fatal: false });
    expect(lenient.body).toMatchObject({
      subscribed: { [member.id]: [open] },
      unauthorized: [name],
    });
  });

  it.each([
    [' ', "Channel name can't be empty."],
    ['x'.repeat(61), 'Channel name too long (limit: 60 characters).'],
    ['ab\u0007c', 'Invalid character in channel name, at position 3.'],
  ])('refuses the name "%s"', async (name, msg) => {
    expect(await subscribe(member, [name])).toMatchObject(badRequest(msg));
  });

  it('refuses guests, unknown accounts, and what only some may create', async () => {
    const name = newName();
    expect(await subscribe(guest, [name])).toMatchObject(badRequest('Not allowed for guest users'));
    const gone = await world.organisation.addPerson({ isActive: false });
    for (const principals of [[gone.id], [2_000_000_000], ['nobody@chat.test'], [-1]]) {
      expect(await subscribe(member, [name], { principals })).toMatchObject(
        badRequest('No such user'),
      );
    }
    expect(await subscribe(member, [name], { is_web_public: true })).toMatchObject(
      badRequest('Web-public channels are not enabled.'),
    );
    expect(await subscribe(member, [name], { is_default_stream: true })).toMatchObject(
      badRequest('Insufficient permission'),
    );
    expect(
      await subscribe(admin, [name], { is_default_stream: true, invite_only: true }),
    ).toMatchObject(badRequest('A default channel cannot be private.'));
    for (const folder_id of [1_000_000, 2 ** 40]) {
      expect(await subscribe(member, [name], { folder_id })).toMatchObject(
        badRequest('Invalid channel folder ID'),
      );
    }
    for (const former of ['is_announcement_only', 'stream_post_policy']) {
      expect(await subscribe(member, [name], { [former]: 2 })).toMatchObject(
        badRequest(`This server does not support the parameter '${former}'.`),
      );
    }
    const everyone = await world.systemGroup('role:everyone');
    for (const holders of [everyone, { direct_members: [], direct_subgroups: [everyone] }]) {
      expect(await subscribe(member, [name], { can_subscribe_group: holders })).toMatchObject(
        badRequest("'can_subscribe_group' setting cannot be set to 'role:everyone' group."),
      );
    }
    for (const id of [2_000_000_000, 3_000_000_000]) {
      expect(await subscribe(member, [name], { can_subscribe_group: id })).toMatchObject(
        badRequest(`Invalid user group ID: ${id}`),
      );
      const holders = { direct_members: [id], direct_subgroups: [] };
      expect(await subscribe(member, [name], { can_subscribe_group: holders })).toMatchObject(
        badRequest(`Invalid user ID: ${id}`),
      );
    }
    expect(await namesFor(member)).not.toContain(name);
  });

  it('subscribes others by address only where the caller may', async () => {
    const closed = await OrganisationOfChannels.add(system);
    const [one, two] = [
      await closed.organisation.addPerson(),
      await closed.organisation.addPerson(),
    ];
    const id = await closed.addChannel('open', {}, [one]);
    const { prisma } = system.database.database;
    const nobody = await closed.systemGroup('role:nobody');
    await prisma.realm.update({
      where: { id: closed.organisation.id },
      data: { canAddSubscribersId: nobody },
    });
    const principals = [two.email.toUpperCase()];
    expect(await subscribe(one, ['open'], { principals })).toMatchObject(
      badRequest('Insufficient permission'),
    );
    const canAddSubscribersId = await closed.addAnonymousGroup([one.id], []);
    await prisma.channel.update({ where: { id }, data: { canAddSubscribersId } });
    expect(await subscribe(one, ['open'], { principals })).toMatchObject(success);
    expect(await namesFor(two)).toEqual(['open']);
  });

  it('takes as many statements for many channels as for one', async () => {
    const subscribeTo = async (count: number) => {
      const existing = Array.from({ length: count }, newName);
      for (const name of existing) await world.addChannel(name, {}, [other]);
      return countStatements(() => subscribe(member, existing));
    };
    await subscribeTo(1);
    expect(await subscribeTo(20)).toBe(await subscribeTo(1));
  });

  it('creates a channel once for concurrent requests', async () => {
    const name = newName();
    const replies = await Promise.all(
      [member, other, admin, member].map((person, turn) =>
        subscribe(person, [turn % 2 === 0 ? name : name.toLowerCase()]),
      ),
    );
    for (const reply of replies) expect(reply).toMatchObject(success);
    const { prisma } = system.database.database;
    const where = { realmId: world.organisation.id, name: { equals: name, mode: 'insensitive' } };
    const [created, ...more] = await prisma.channel.findMany({
      where: where as object,
      include: { subscriptions: true },
    });
    expect(more).toEqual([]);
    expect(created?.subscriptions).toHaveLength(3);
  });

  it('and unsubscribing at the same moment end in the state of the last event', async () => {
    const name = newName();
    const id = await world.addChannel(name, {}, [other]);
    const events = (await recorded.during(() =>
      Promise.all([
        subscribe(member, [name]),
        unsubscribe(member, [name]),
        subscribe(member, [name]),
        unsubscribe(member, [name]),
      ]),
    )) as Event[];
    const own = events.filter(({ body }) => ['add', 'remove'].includes(String(body['op'])));
    const isSubscribed = own.at(-1)?.body['op'] === 'add';
    expect((await namesFor(member)).includes(name)).toBe(isSubscribed);
    const { prisma } = system.database.database;
    expect(await prisma.subscription.count({ where: { channelId: id, isActive: true } })).toBe(
      isSubscribed ? 2 : 1,
    );
  });

  it('leaves out an account that is deactivated at the same time', async () => {
    const name = newName();
    await world.addChannel(name, {}, [other]);
    const leaving = await world.organisation.addPerson();
    const client = await EventClient.register(other.api);
    const replies = await commitTogether(
      system,
      world.organisation,
      () => admin.api.delete(`/users/${leaving.id}`),
      () => subscribe(admin, [name], { principals: [leaving.id] }),
    );
    expect(replies).toMatchObject([success, success]);
    const added = (await client.drain()).filter((event) => event['op'] === 'peer_add');
    expect(added).toEqual([]);
  });
});
