import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { roles } from '#platform/contracts';
import { EventClient, type ReceivedEvent } from '#test/event-client';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';
import { filePart, multipart } from '#test/uploads-multipart';

jest.setTimeout(120_000);

/** One white point. */
const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const fetchTypes = [
  'default_streams',
  'muted_users',
  'realm_emoji',
  'realm_playgrounds',
  'subscription',
  'user_status',
];
const members = [
  'muted_users',
  'realm_default_streams',
  'realm_emoji',
  'realm_playgrounds',
  'subscriptions',
  'never_subscribed',
  'user_status',
] as const;
type Member = (typeof members)[number];
type State = Record<Member, unknown>;

interface Channel {
  readonly stream_id: number;
  subscribers: number[];
  subscriber_count: number;
}

let system: System;
let organisation: Organisation;
let owner: Person;

beforeAll(async () => {
  // Its own gateway: after a poll it looks for events each second, which would disturb the statement counts of other files.
  system = await startGateway({});
  organisation = await addOrganisation(system);
  owner = await organisation.addPerson({ role: roles.owner });
});

afterAll(() => system?.stop());

const register = ({ api }: Person) =>
  EventClient.register(api, { fetch_event_types: fetchTypes, include_subscribers: true });

const stateOf = ({ state }: EventClient): State =>
  // The registration asked for all of them.
  structuredClone(Object.fromEntries(members.map((member) => [member, state[member]]))) as State;

/** Applies an event as a client without capabilities does. */
function apply(state: State, event: ReceivedEvent): void {
  switch (event.type) {
    case 'muted_users':
    case 'realm_emoji':
    case 'realm_playgrounds':
      state[event.type] = event[event.type];
      return;
    case 'default_streams':
      state.realm_default_streams = event['default_streams'];
      return;
    case 'subscription':
      changePeers(state, event);
      return;
    case 'user_status':
      changeStatus(state.user_status as Record<string, Record<string, unknown>>, event);
      return;
  }
}

function changePeers(state: State, event: ReceivedEvent): void {
  const userIds = event['user_ids'] as number[];
  const channels = [state.subscriptions, state.never_subscribed] as Channel[][];
  for (const channel of channels.flat()) {
    if (!(event['stream_ids'] as number[]).includes(channel.stream_id)) continue;
    const others = channel.subscribers.filter((id) => !userIds.includes(id));
    channel.subscribers =
      event['op'] === 'peer_add'
        ? [...others, ...userIds].toSorted((left, right) => left - right)
        : others;
    channel.subscriber_count = channel.subscribers.length;
  }
}

function changeStatus(
  statuses: Record<string, Record<string, unknown>>,
  { id: _id, type: _type, user_id: userId, ...changed }: ReceivedEvent,
): void {
  const kept = Object.entries({ ...statuses[String(userId)], ...changed }).filter(
    ([name, value]) => value !== '' && value !== false && name !== 'reaction_type',
  );
  const status = Object.fromEntries(kept);
  const type = 'emoji_name' in status && {
    reaction_type: changed['reaction_type'] ?? statuses[String(userId)]?.['reaction_type'],
  };
  statuses[String(userId)] = { ...status, ...type };
  if (Object.keys(status).length === 0) delete statuses[String(userId)];
}

/** Changes of every kind; some of them at the same time. */
async function changeEverything(readers: readonly Person[], channels: readonly number[]) {
  const { api } = owner;
  await Promise.all(
    channels.map((stream_id) => api.post('/default_streams', { stream_id: String(stream_id) })),
  );
  const email = 'newcomer@chat.test';
  const password = 'a long enough password of a test';
  await api.post('/users', { email, full_name: 'Newcomer', password });
  await api.delete('/default_streams', { stream_id: channels[0] });
  const [leaving, muted] = await organisation.addPeople(2);
  if (leaving === undefined || muted === undefined) throw new Error('Nobody was added');
  const userIds = { channelId: channels[1] ?? 0, userId: leaving.id };
  await system.database.database.prisma.subscription.create({ data: userIds });
  for (const name of ['mascot_one', 'mascot_two']) {
    await api.send('POST', `/realm/emoji/${name}`, multipart(filePart('picture.gif', gif)));
  }
  await api.delete('/realm/emoji/mascot_one');
  const url_template = 'https://play.test/?code={code}';
  await api.post('/realm/playgrounds', { name: 'Play', pygments_language: 'Rust', url_template });
  for (const reader of readers) {
    await reader.api.post(`/users/me/muted_users/${muted.id}`);
    await reader.api.post('/users/me/status', { status_text: 'Out', emoji_name: 'mascot_two' });
  }
  await readers[0]?.api.post('/users/me/status', { status_text: '', emoji_name: '' });
  await readers[1]?.api.post('/users/me/status', { away: true });
  return leaving;
}

describe('The chat state of a registration', () => {
  it('with the events of its queue is the state of a later registration', async () => {
    const readers = await organisation.addPeople(2);
    const { prisma } = system.database.database;
    const channels = await prisma.channel.createManyAndReturn({
      data: ['One', 'Two', 'Three'].map((name) => ({ realmId: organisation.id, name })),
      select: { id: true },
    });
    const ids = channels.map(({ id }) => id);
    const [reader] = readers;
    if (reader === undefined) throw new Error('Nobody was added');
    await prisma.subscription.create({ data: { channelId: ids[1] ?? 0, userId: reader.id } });

    const clients = await Promise.all([...readers, owner].map(register));
    const leaving = await changeEverything(readers, ids);
    // The row above was written without an event: these clients begin with it.
    const later = await Promise.all([...readers, owner].map(register));
    await owner.api.delete(`/users/${leaving.id}`);
    await owner.api.post(`/users/${leaving.id}/reactivate`);
    await owner.api.delete(`/users/${leaving.id}`);
    const fresh = await Promise.all([...readers, owner].map(register));
    for (const [index, client] of later.entries()) {
      expect(await applied(client)).toEqual(stateOf(fresh[index] ?? client));
    }
    const lists = new Set<Member>(['subscriptions', 'never_subscribed']);
    for (const [index, client] of clients.entries()) {
      const [known, current] = [await applied(client), stateOf(fresh[index] ?? client)];
      for (const member of members.filter((one) => !lists.has(one))) {
        expect(known[member]).toEqual(current[member]);
      }
    }
  });
});

async function applied(client: EventClient): Promise<State> {
  const state = stateOf(client);
  for (const event of await client.drain()) apply(state, event);
  return state;
}
