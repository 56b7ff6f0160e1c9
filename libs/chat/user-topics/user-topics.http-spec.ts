import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventLog, EventRepository } from '#events/log';
import { roles } from '#directory/roles';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { Correspondence, sendToChannel } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { RecordedEvents } from '#test/recorded-events';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';
import { UserTopicRepository } from './user-topic.repository.js';
import { UserTopicEvents } from './user-topics.events.js';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
let recorded: RecordedEvents;
let topics: UserTopicRepository;
let state: UserTopicEvents;

beforeAll(async () => {
  const { database } = system.database;
  recorded = new RecordedEvents(system, mail.organisation);
  topics = new UserTopicRepository();
  state = new UserTopicEvents(topics, new EventLog(new EventRepository(database)));
});

const PATH = '/user_topics';
const OLD_PATH = '/users/me/subscriptions/muted_topics';

const set = ({ api }: Person, channelId: number, topic: string, visibility: number) =>
  api.post(PATH, { stream_id: channelId, topic, visibility_policy: visibility });

const muted = async ({ id }: Person) => (await recorded.stateOf(state, { id }))['muted_topics'];

const listed = async ({ id }: Person) => {
  const { user_topics: own } = await recorded.stateOf(state, { id });
  const rows = own as { topic_name: string; visibility_policy: number }[];
  return rows.map(({ topic_name, visibility_policy }) => [topic_name, visibility_policy]);
};

const invalidChannel = badRequest('Invalid channel ID');

describe('POST /user_topics', () => {
  it('stores, changes and removes the setting of a topic, whatever its case', async () => {
    const person = await mail.organisation.addPerson();
    const { id } = await mail.addChannel([person]);
    expect(await set(person, id, 'Lunch', 1)).toMatchObject(success);
    expect(await listed(person)).toEqual([['Lunch', 1]]);
    expect(await set(person, id, 'lUNCH', 3)).toMatchObject(success);
    expect(await listed(person)).toEqual([['lUNCH', 3]]);
    expect(await set(person, id, 'lunch', 0)).toMatchObject(success);
    expect(await set(person, id, 'lunch', 0)).toMatchObject(success);
    expect(await listed(person)).toEqual([]);
  });

  it('has the names of the channels in the older form, as far as the account may see them', async () => {
    const owner = await mail.organisation.addPerson({ role: roles.owner });
    const person = await mail.organisation.addPerson();
    const channel = await mail.addChannel([owner, person], { isPrivate: true });
    const open = await mail.addChannel();
    await set(person, channel.id, 'lunch', 1);
    await set(person, open.id, 'lunch', 1);
    const time: unknown = expect.any(Number);
    const lunchOf = ({ name }: { readonly name: string }) => [name, 'lunch', time];
    expect(await muted(person)).toEqual([lunchOf(channel), lunchOf(open)]);
    await person.api.delete('/users/me/subscriptions', { subscriptions: [channel.name] });
    expect(await muted(person)).toEqual([lunchOf(open)]);
    const groupId = await mail.addGroup([person], { name: 'Planners' });
    const holders = await mail.addGroup([], { name: 'Leads' });
    await system.database.database.prisma.userGroupSubgroup.create({
      data: { supergroupId: holders, subgroupId: groupId },
    });
    const grant = { can_add_subscribers_group: { new: holders } };
    expect(await owner.api.patch(`/streams/${channel.id}`, grant)).toMatchObject(success);
    expect(await muted(person)).toEqual([lunchOf(channel), lunchOf(open)]);
  });

  it('has one event for each change; the older form has all muted topics', async () => {
    const person = await mail.organisation.addPerson();
    const { id, name } = await mail.addChannel([person]);
    const events = await recorded.during(async () => {
      await set(person, id, 'lunch', 1);
      await set(person, id, 'Lunch', 1);
      await set(person, id, '', 2);
      await set(person, id, 'lunch', 0);
      await set(person, id, 'lunch', 0);
    });
    const time: unknown = expect.any(Number);
    const audience = { userIds: [person.id] };
    const both = (topic: string, visibility: number, ...all: unknown[]) => [
      {
        type: 'user_topic',
        body: {
          stream_id: id,
          topic_name: topic,
          visibility_policy: visibility,
          last_updated: time,
        },
        audience,
      },
      { type: 'muted_topics', body: { muted_topics: all }, audience },
    ];
    expect(events).toEqual([
      ...both('lunch', 1, [name, 'lunch', time]),
      ...both('', 2, [name, 'lunch', time]),
      ...both('lunch', 0),
    ]);
  });

  it('gives each queue the form that it listed', async () => {
    const person = await mail.organisation.addPerson();
    const { id, name } = await mail.addChannel([person]);
    const register = (event_types: string[], capabilities = {}) =>
      EventClient.register(person.api, { event_types, client_capabilities: capabilities });
    const older = await register(['muted_topics']);
    const newer = await register(['muted_topics', 'user_topic']);
    const capable = await register(['user_topic'], { empty_topic_name: true });
    expect(older.state['muted_topics']).toEqual([]);
    expect(newer.state).not.toHaveProperty('muted_topics');
    await set(person, id, '(no topic)', 1);
    const time: unknown = expect.any(Number);
    expect(await older.drain()).toMatchObject([
      { type: 'muted_topics', muted_topics: [[name, 'general chat', time]] },
    ]);
    expect(await newer.drain()).toMatchObject([{ type: 'user_topic', topic_name: 'general chat' }]);
    expect(await capable.drain()).toMatchObject([{ type: 'user_topic', topic_name: '' }]);
    const again = await EventClient.register(person.api, { event_types: null });
    expect(again.state['user_topics']).toMatchObject([{ topic_name: 'general chat' }]);
    expect(again.state['muted_topics']).toEqual([[name, 'general chat', time]]);
  });

  it('has the older form in the state only without the newer one in the same list', async () => {
    const person = await mail.organisation.addPerson();
    const membersOf = async (fields: Record<string, unknown>) => {
      const { state: all } = await EventClient.register(person.api, fields);
      return ['muted_topics', 'user_topics'].filter((member) => member in all);
    };
    const both = ['muted_topics', 'user_topic'];
    expect(await membersOf({ fetch_event_types: both })).toEqual(['user_topics']);
    expect(await membersOf({ fetch_event_types: both, event_types: both })).toEqual([
      'user_topics',
    ]);
    expect(await membersOf({ fetch_event_types: ['muted_topics'] })).toEqual(['muted_topics']);
    expect(await membersOf({})).toEqual(['muted_topics', 'user_topics']);
  });

  it.each([
    ['of another organisation', async () => (await Correspondence.in(system)).addChannel()],
    ['that is private', () => mail.addChannel([], { isPrivate: true })],
    ['that is archived', () => mail.addChannel([], { archivedAt: new Date() })],
  ])('refuses a channel %s', async (_, add) => {
    const person = await mail.organisation.addPerson();
    const { id } = await add();
    for (const visibility of [0, 1]) {
      expect(await set(person, id, 'lunch', visibility)).toMatchObject(invalidChannel);
    }
  });

  it('refuses a public channel for a guest who is not subscribed; the guest may remove a setting', async () => {
    const guest = await mail.organisation.addPerson({ role: roles.guest });
    const { id } = await mail.addChannel([guest]);
    expect(await set(guest, id, 'lunch', 3)).toMatchObject(success);
    await system.database.database.prisma.subscription.deleteMany({ where: { channelId: id } });
    expect(await set(guest, id, 'other', 3)).toMatchObject(invalidChannel);
    expect(await set(guest, id, 'lunch', 0)).toMatchObject(success);
    expect(await set(guest, id, 'lunch', 0)).toMatchObject(invalidChannel);
  });

  it('refuses a long topic and an unknown policy', async () => {
    const person = await mail.organisation.addPerson();
    const { id } = await mail.addChannel([person]);
    expect(await set(person, id, 'x'.repeat(61), 1)).toMatchObject(
      badRequest('topic is too long (limit: 60 characters)'),
    );
    expect(await set(person, id, 'lunch', 4)).toMatchObject(
      badRequest('Invalid visibility_policy'),
    );
  });

  it('keeps state and events equal for concurrent requests', async () => {
    const person = await mail.organisation.addPerson();
    const { id, name } = await mail.addChannel([person]);
    const events = await recorded.during(() =>
      Promise.all(
        ['a', 'b', 'a', 'b', 'A', 'B'].map((topic, turn) => set(person, id, topic, (turn % 2) + 1)),
      ),
    );
    const list = (await muted(person)) as unknown[];
    expect(events.at(-1)).toMatchObject({ body: { muted_topics: list } });
    expect(await listed(person)).toHaveLength(2);
    expect(list.every((one) => (one as unknown[])[0] === name)).toBe(true);
  });
});

describe('PATCH /users/me/subscriptions/muted_topics', () => {
  it('mutes a topic by the id or the name of its channel, and ends the muting', async () => {
    const person = await mail.organisation.addPerson();
    const { id, name } = await mail.addChannel([person]);
    const patch = (fields: object) => person.api.patch(OLD_PATH, { topic: 'lunch', ...fields });
    expect(await patch({ stream_id: id, op: 'add' })).toMatchObject(success);
    expect(await patch({ stream: name.toUpperCase(), op: 'add' })).toMatchObject(success);
    expect(await listed(person)).toEqual([['lunch', 1]]);
    expect(await patch({ stream: name, op: 'remove' })).toMatchObject(success);
    expect(await patch({ stream: name, op: 'remove' })).toMatchObject(
      badRequest('Topic is not muted'),
    );
    await set(person, id, 'lunch', 3);
    expect(await patch({ stream_id: id, op: 'remove' })).toMatchObject(
      badRequest('Topic is not muted'),
    );
    expect(await listed(person)).toEqual([['lunch', 3]]);
  });

  it('ends a muting only once for concurrent requests', async () => {
    const person = await mail.organisation.addPerson();
    const { id } = await mail.addChannel([person]);
    await set(person, id, 'lunch', 1);
    const replies = await Promise.all(
      [1, 2, 3].map(() =>
        person.api.patch(OLD_PATH, { stream_id: id, topic: 'lunch', op: 'remove' }),
      ),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('refuses a request that does not name one channel', async () => {
    const person = await mail.organisation.addPerson();
    const { id, name } = await mail.addChannel([person]);
    const hidden = await mail.addChannel([], { isPrivate: true });
    const patch = (fields: object) =>
      person.api.patch(OLD_PATH, { topic: 'lunch', op: 'add', ...fields });
    expect(await patch({ stream_id: id, stream: name })).toMatchObject(
      badRequest('Unsupported parameter combination: stream_id, stream'),
    );
    expect(await patch({})).toMatchObject(badRequest("Please supply 'stream'."));
    expect(await patch({ stream: hidden.name })).toMatchObject(
      badRequest(`Invalid channel name '${hidden.name}'`),
    );
    expect(await patch({ stream_id: hidden.id })).toMatchObject(invalidChannel);
  });
});

describe('A topic of a user', () => {
  it('decides with its channel which unread messages count', async () => {
    const [reader, sender] = [
      await mail.organisation.addPerson(),
      await mail.organisation.addPerson(),
    ];
    const open = await mail.addChannel([reader, sender]);
    const quiet = await mail.addChannel([reader, sender]);
    const { prisma } = system.database.database;
    await prisma.subscription.update({
      where: { channelId_userId: { channelId: quiet.id, userId: reader.id } },
      data: { isMuted: true },
    });
    for (const channel of [open, quiet]) {
      await set(reader, channel.id, 'muted', 1);
      await set(reader, channel.id, 'unmuted', 2);
      await set(reader, channel.id, 'followed', 3);
      for (const topic of ['Muted', 'Unmuted', 'Followed', 'usual']) {
        await sendToChannel(sender, channel, '@**everyone**', topic);
      }
    }
    const { body } = await reader.api.post('/register', {
      fetch_event_types: ['message', 'update_message_flags'],
    });
    const unread = body['unread_msgs'] as { count: number; mentions: []; streams: [] };
    expect(unread).toMatchObject({ count: 5 });
    expect(unread.mentions).toHaveLength(5);
    expect(unread.streams).toHaveLength(8);
  });
});
