import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { administratorsOnly, badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { untilLockWaits } from '#test/lock-waits';
import { startGateway, useGateway } from '#test/start-gateway';
import type { Person } from '#test/organisation';
import { addGroup } from '#test/user-groups';
import { archive, change, read, useChanging } from '../changing/changing.fixture.js';
import { OrganisationOfChannels } from '../channels-organisation.fixture.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';
import { changeRealm } from './realm-settings.schema.js';
import { newName, SUBSCRIPTIONS } from '../subscribing/subscribing.fixture.js';

const MODERATION = 'moderation_request_channel_id';
const ANNOUNCEMENTS = 'new_stream_announcements_stream_id';

const system = useGateway();
const { world, recorded, owner, admin, member } = useChanging(system);

const choose = ({ api }: Person, fields: Readonly<Record<string, unknown>>) =>
  api.patch('/realm', fields);
const chosen = async () => {
  const { state } = await EventClient.register(member.api, { fetch_event_types: ['realm'] });
  return [state[`realm_${MODERATION}`], state[`realm_${ANNOUNCEMENTS}`]];
};
const eventOf = (property: string, value: number) => ({
  type: 'realm',
  body: { op: 'update', property, value },
  audience: { everyone: 'all' },
});
/** The Markdown of the messages of a channel by topic. */
const messagesIn = async (channelId: number) => {
  const { prisma } = system.database.database;
  const rows = await prisma.message.findMany({ where: { channelId }, orderBy: { id: 'asc' } });
  return rows.map(({ topic, content }) => [topic, content]);
};

describe('PATCH /realm', () => {
  it('takes its locks in the order of changes of groups', async () => {
    const news = await world.addChannel(newName());
    const group = await addGroup(system, world.organisation);
    const { database } = system.database;
    const { replies } = await database.transaction(async (transaction) => {
      await lockSubscriptions(transaction, world.organisation.id);
      const set = choose(admin, { [ANNOUNCEMENTS]: news });
      await untilLockWaits(database);
      const added = owner.api.post(`/user_groups/${group}/members`, { add: [member.id] });
      // With the lock of the organisation, it would wait for that of the subscriptions too: each for the other in the end.
      await untilLockWaits(database, 1, 'FOR NO KEY UPDATE');
      return { replies: Promise.all([set, added]) };
    });
    for (const reply of await replies) expect(reply).toMatchObject(success);
  });

  it('chooses channels for tasks, with an event for each change, until they are archived', async () => {
    const reports = await world.addChannel(newName(), { isPrivate: true }, [admin]);
    const news = await world.addChannel(newName());
    expect(
      await recorded.during(async () => {
        const both = { [MODERATION]: reports, [ANNOUNCEMENTS]: news };
        expect(await choose(admin, both)).toMatchObject(success);
        expect(await choose(admin, both)).toMatchObject(success);
      }),
    ).toEqual([eventOf(MODERATION, reports), eventOf(ANNOUNCEMENTS, news)]);
    expect(await chosen()).toEqual([reports, news]);
    const ended = await recorded.during(() => archive(admin, news));
    expect(ended).toContainEqual(eventOf(ANNOUNCEMENTS, -1));
    expect(ended).not.toContainEqual(eventOf(MODERATION, -1));
    // A channel that is brought back has no task.
    await change(admin, news, { is_archived: false });
    expect(await chosen()).toEqual([reports, -1]);
    expect(await recorded.during(() => choose(admin, { [MODERATION]: -1 }))).toEqual([
      eventOf(MODERATION, -1),
    ]);
    expect(await chosen()).toEqual([-1, -1]);
  });

  it('refuses channels that cannot have the task, and then changes nothing', async () => {
    const open = await world.addChannel(newName());
    const archived = await world.addChannel(newName(), { archivedAt: new Date() });
    const elsewhere = await OrganisationOfChannels.add(system);
    const foreign = await elsewhere.addChannel(newName());
    const isPublic = badRequest('Moderation request channel must be private.');
    const both = { [MODERATION]: open, [ANNOUNCEMENTS]: open };
    expect(await choose(admin, both)).toMatchObject(isPublic);
    for (const id of [archived, foreign, 2 ** 40]) {
      const invalid = badRequest('Invalid channel ID');
      expect(await choose(admin, { [ANNOUNCEMENTS]: id })).toMatchObject(invalid);
    }
    expect(await choose(admin, { [ANNOUNCEMENTS]: -2 })).toMatchObject(
      badRequest(`${ANNOUNCEMENTS} is too small`),
    );
    expect(await chosen()).toEqual([-1, -1]);
  });

  it('keeps the channel for reports private', async () => {
    const reports = await world.addChannel(newName(), { isPrivate: true }, [admin]);
    expect(await choose(admin, { [MODERATION]: reports })).toMatchObject(success);
    expect(await change(admin, reports, { is_private: false })).toMatchObject(
      badRequest('Moderation request channel must be private.'),
    );
    expect(await read(admin, reports)).toMatchObject({ invite_only: true });
    expect(await choose(admin, { [MODERATION]: -1 })).toMatchObject(success);
    expect(await change(admin, reports, { is_private: false })).toMatchObject(success);
  });

  it('restricts notifications to phones that get them encrypted, with an event for a change', async () => {
    const setting = 'require_e2ee_push_notifications';
    const event = (value: boolean) => ({
      ...eventOf(setting, 0),
      body: { op: 'update', property: setting, value },
    });
    const isRequired = async () => {
      const { state } = await EventClient.register(member.api, { fetch_event_types: ['realm'] });
      return state[`realm_${setting}`];
    };
    const events = await recorded.during(async () => {
      expect(await choose(admin, { [setting]: true })).toMatchObject(success);
      expect(await choose(admin, { [setting]: true })).toMatchObject(success);
    });
    expect(events).toEqual([event(true)]);
    expect(await isRequired()).toBe(true);
    // A refused change of another setting keeps this one.
    const refused = { [setting]: false, [ANNOUNCEMENTS]: 2 ** 40 };
    expect(await choose(admin, refused)).toMatchObject(badRequest('Invalid channel ID'));
    expect(await isRequired()).toBe(true);
    expect(await recorded.during(() => choose(admin, { [setting]: false }))).toEqual([
      event(false),
    ]);
    expect(await isRequired()).toBe(false);
    expect(await choose(admin, { [setting]: 1 })).toMatchObject(
      badRequest(`${setting} is not a boolean`),
    );
  });

  it('sets the retention of messages, for owners, with an event for a change', async () => {
    const setting = 'message_retention_days';
    const event = (value: number) => ({
      ...eventOf(setting, 0),
      body: { op: 'update', property: setting, value },
    });
    const retention = async () => {
      const { state } = await EventClient.register(member.api, { fetch_event_types: ['realm'] });
      return state[`realm_${setting}`];
    };
    const events = await recorded.during(async () => {
      expect(await choose(owner, { [setting]: 90 })).toMatchObject(success);
      expect(await choose(owner, { [setting]: 90 })).toMatchObject(success);
    });
    expect(events).toEqual([event(90)]);
    expect(await retention()).toBe(90);
    expect(await choose(admin, { [setting]: 30 })).toMatchObject({
      status: 400,
      body: { code: 'UNAUTHORIZED_PRINCIPAL', msg: 'Must be an organization owner' },
    });
    for (const wrong of [0, -1, 36_501, 'for ever']) {
      expect(await choose(owner, { [setting]: wrong })).toMatchObject({ status: 400 });
    }
    expect(await retention()).toBe(90);
    const ended = await recorded.during(() =>
      choose(owner, { [setting]: JSON.stringify('unlimited') }),
    );
    expect(ended).toEqual([event(-1)]);
    expect(await retention()).toBe(-1);
  });

  it('tells nothing in channels if the organisation wants it so', async () => {
    const setting = 'send_channel_events_messages';
    const events = await recorded.during(async () => {
      expect(await choose(admin, { [setting]: false })).toMatchObject(success);
    });
    expect(events).toMatchObject([{ body: { op: 'update', property: setting, value: false } }]);
    const { state } = await EventClient.register(member.api, { fetch_event_types: ['realm'] });
    expect(state[`realm_${setting}`]).toBe(false);
    const name = newName();
    const created = { subscriptions: [{ name }] };
    expect(await admin.api.post(SUBSCRIPTIONS, created)).toMatchObject(success);
    const { body } = await admin.api.get('/get_stream_id', { stream: name });
    const id = Number(body['stream_id']);
    expect(await change(admin, id, { description: 'New' })).toMatchObject(success);
    expect(await messagesIn(id)).toEqual([]);
    expect(await choose(admin, { [setting]: true })).toMatchObject(success);
    expect(await change(admin, id, { description: 'Newer' })).toMatchObject(success);
    await eventually(async () => expect(await messagesIn(id)).toHaveLength(1));
  });

  it('changes the name and the description, with their events', async () => {
    const rendered = '<p>We <em>sell</em></p>';
    const given = { name: ' Firm 2 ', description: 'We *sell*' };
    const events = await recorded.during(async () => {
      expect(await choose(admin, given)).toMatchObject(success);
      expect(await choose(admin, given)).toMatchObject(success);
    });
    const data = { description: 'We *sell*', rendered_description: rendered };
    expect(events).toMatchObject([
      { body: { op: 'update_dict', property: 'default', data } },
      { body: { op: 'update', property: 'name', value: 'Firm 2' } },
    ]);
    const { state } = await EventClient.register(member.api, { fetch_event_types: ['realm'] });
    expect(state).toMatchObject({
      realm_name: 'Firm 2',
      realm_description: 'We *sell*',
      realm_rendered_description: rendered,
    });
    for (const name of ['', '  ', 'x'.repeat(41)]) {
      expect(await choose(admin, { name })).toMatchObject({ status: 400 });
    }
  });

  it.each(changeRealm.refuses ?? [])('refuses %s, and changes nothing', async (name) => {
    const events = await recorded.during(async () => {
      expect(await choose(admin, { name: 'Other', [name]: 1 })).toMatchObject(
        badRequest(`This server does not support the parameter '${name}'.`),
      );
    });
    expect(events).toEqual([]);
  });

  it('is for administrators', async () => {
    const moderator = await world.organisation.addPerson({ role: roles.moderator });
    expect(await choose(moderator, { [MODERATION]: -1 })).toMatchObject(administratorsOnly);
  });
});

describe('PATCH /realm of many at the same time', () => {
  it('uses one connection for each request', async () => {
    const limited = await startGateway({ DATABASE_POOL_SIZE: '2' });
    try {
      const { organisation } = await OrganisationOfChannels.add(limited);
      const one = await organisation.addPerson({ role: roles.administrator });
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, number) =>
          choose(one, { require_e2ee_push_notifications: number % 2 === 0 }),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
    } finally {
      await limited.stop();
    }
  });
});

describe('announce', () => {
  const create = (names: readonly string[], fields: object = {}) =>
    member.api.post(SUBSCRIPTIONS, {
      subscriptions: names.map((name) => ({ name })),
      announce: true,
      ...fields,
    });

  it('announces new public channels in the chosen channel', async () => {
    const news = await world.addChannel(newName());
    const old = newName();
    await world.addChannel(old);
    expect(await create([newName()])).toMatchObject(success);
    await choose(admin, { [ANNOUNCEMENTS]: news });
    const [one, two, three] = [newName(), newName(), newName()];
    await create([one, two, old]);
    await create([newName()], { invite_only: true });
    await create([newName()], { announce: false });
    const channel = { name: three, subscribers: [], announce: true };
    expect(await member.api.post('/channels/create', channel)).toMatchObject(success);
    const who = expect.stringContaining(`|${member.id}** created `);
    await eventually(async () => expect(await messagesIn(news)).toHaveLength(2));
    const announced = await messagesIn(news);
    expect(announced).toEqual([
      ['new channels', who],
      ['new channels', who],
    ]);
    expect(announced.map(([, content]) => content?.replace(/^.*\*\* created /u, ''))).toEqual([
      `new channels: #**${one}**, #**${two}**.`,
      `a new channel #**${three}**.`,
    ]);
    await choose(admin, { [ANNOUNCEMENTS]: -1 });
  });
});
