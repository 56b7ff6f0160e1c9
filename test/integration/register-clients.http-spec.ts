import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { success } from '#test/answers';
import { ApiClient, encodeForm, type Fields } from '#test/api-client';
import { eventsOf } from '#test/event-client';
import type { Reply } from '#test/http-request';
import { Correspondence, sendToChannel, sendToPeople } from '#test/messages-organisation';
import type { Organisation, Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { multipart } from '#test/uploads-multipart';
import { useFixture } from '#test/use-fixture';
import { appCapabilities } from '../clients/mobile-app.fixture.js';
import { mobileState, queueState, terminalState } from './registered-state.fixture.js';

/** The limit of the terminal and of the Python library for every request but a long poll. */
const CLIENT_TIMEOUT_MS = 15_000;

const terminalTypes = [
  'realm',
  'presence',
  'subscription',
  'message',
  'starred_messages',
  'update_message_flags',
  'muted_topics',
  'realm_user',
  'realm_user_groups',
  'user_settings',
  'realm_emoji',
  'custom_profile_fields',
  'zulip_version',
];

const system = useGateway();
let organisation: Organisation;
const mail = useFixture(() => Correspondence.in(system));
let reader: Person;
let colleague: Person;
let third: Person;
let guest: Person;
let leaver: Person;
let channel: { readonly id: number; readonly name: string };

beforeAll(async () => {
  organisation = mail.organisation;
  reader = await organisation.addPerson({ role: roles.administrator });
  [colleague, third] = [await organisation.addPerson(), await organisation.addPerson()];
  guest = await organisation.addPerson({ role: roles.guest });
  leaver = await organisation.addPerson({ isActive: false });
  await organisation.addPerson({ isBot: true });
  channel = await mail.addChannel([reader, colleague, guest]);
  await mail.addChannel([colleague]);
  await mail.addGroup([colleague], { name: 'team' });
  await fill();
});

async function expectSuccess(reply: Promise<Reply>): Promise<Reply> {
  const answered = await reply;
  expect(answered).toMatchObject({ status: success.status });
  return answered;
}

/** Makes something of every kind that a registration lists. */
async function fill(): Promise<void> {
  await expectSuccess(sendToChannel(colleague, channel, `@**all** hello`));
  await expectSuccess(sendToChannel(colleague, channel, 'without a topic', ''));
  await expectSuccess(sendToPeople(colleague, [reader]));
  await expectSuccess(sendToPeople(third, [reader, colleague]));
  const { body } = await expectSuccess(sendToPeople(reader, [reader], 'a note'));
  const flag = { messages: [body['id']], op: 'add', flag: 'starred' };
  await expectSuccess(reader.api.post('/messages/flags', flag));
  await expectSuccess(reader.api.post(`/users/me/muted_users/${third.id}`));
  await expectSuccess(colleague.api.post('/users/me/status', { emoji_name: 'car' }));
  await expectSuccess(reader.api.post('/saved_snippets', { title: 'Hi', content: 'Hello' }));
  const account = { field_type: 7, field_data: { subtype: 'github' } };
  await expectSuccess(reader.api.post('/realm/profile_fields', account));
  await organisation.lastSeen(colleague, Math.floor(Date.now() / 1000));
  await system.database.database.prisma.realmEmoji.create({
    data: {
      realmId: organisation.id,
      authorId: reader.id,
      name: 'party',
      fileKey: 'emoji/1/a.png',
    },
  });
}

/** Sends form fields as the clients do, with the `User-Agent` of one of them. */
const sendForm = (person: Person, userAgent: string, fields: Fields) =>
  person.api.send('POST', '/register', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': userAgent },
    body: encodeForm(fields),
  });

/** As zulip-flutter: all types; texts without a mark are JSON texts. */
const registerMobile = (person: Person) =>
  sendForm(person, 'ZulipFlutter/30.0.273 (Android 16)', {
    apply_markdown: true,
    slim_presence: true,
    client_gravatar: false,
    client_capabilities: appCapabilities,
    include_subscribers: false,
    idle_queue_timeout: '"mobile"',
  });

/** As zulip-terminal. */
const registerTerminal = (person: Person) =>
  sendForm(person, 'ZulipTerminal/0.7.0 ZulipPython/0.9.1 (Linux; 6.8)', {
    event_types: ['message', 'reaction', 'subscription', 'update_message_flags', 'realm_user'],
    fetch_event_types: terminalTypes,
    client_gravatar: true,
    apply_markdown: true,
    include_subscribers: true,
  });

/** As a bot of the Python library. */
const registerBot = (person: Person) =>
  sendForm(person, 'ZulipPython/0.9.1 (Ubuntu; 24.04)', { event_types: ['message'], narrow: [] });

/** As zulip-js: multipart, with lists and null as JSON text. */
const registerScript = (person: Person, fields: Fields) => {
  const parts = Object.entries(fields).map(([name, value]) => ({
    disposition: `name="${name}"`,
    body: JSON.stringify(value),
  }));
  const { headers, body } = multipart(...parts);
  return person.api.send('POST', '/register', {
    headers: { ...headers, 'user-agent': 'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)' },
    body,
  });
};

describe('POST /register of the mobile app', () => {
  it.each(['an administrator', 'a member', 'a guest'] as const)(
    'has every member that the app demands for %s',
    async (name) => {
      const person = { 'an administrator': reader, 'a member': colleague, 'a guest': guest }[name];
      const state = mobileState.parse((await registerMobile(person)).body);
      expect(state.realm_users.map(({ user_id }) => user_id)).toContain(person.id);
      expect(state.user_id).toBe(person.id);
    },
  );

  it('contains what there is in the organisation', async () => {
    const state = mobileState.parse((await registerMobile(reader)).body);
    expect(state.realm_users.map(({ user_id }) => user_id)).toEqual(
      expect.arrayContaining([reader.id, colleague.id, third.id, guest.id]),
    );
    expect(state.realm_non_active_users.map(({ user_id }) => user_id)).toEqual([leaver.id]);
    expect(state.cross_realm_bots.length).toBeGreaterThan(0);
    expect(state.subscriptions).toMatchObject([{ stream_id: channel.id, name: channel.name }]);
    expect(state.streams).toHaveLength(2);
    expect(state.realm_user_groups.map(({ name }) => name)).toContain('team');
    expect(Object.values(state.realm_emoji)).toMatchObject([{ name: 'party' }]);
    expect(state.custom_profile_fields).toMatchObject([{ type: 7, name: 'GitHub username' }]);
    expect(state.muted_users).toMatchObject([{ id: third.id }]);
    expect(state.user_status[colleague.id]).toMatchObject({ emoji_name: 'car' });
    expect(Object.keys(state.presences)).toEqual([String(colleague.id)]);
    expect(state.saved_snippets).toMatchObject([{ title: 'Hi' }]);
    expect(state.starred_messages).toHaveLength(1);
    expect(state.recent_private_conversations.map(({ user_ids }) => user_ids)).toEqual(
      expect.arrayContaining([[], [colleague.id], [colleague.id, third.id]]),
    );
    const { streams, pms, mentions } = state.unread_msgs;
    expect(streams.map(({ topic }) => topic)).toEqual(['', 'lunch']);
    expect(pms).toMatchObject([{ other_user_id: colleague.id, sender_id: colleague.id }]);
    expect(mentions).toHaveLength(1);
  });

  it('gives a queue that can be polled at once', async () => {
    const { queue_id, last_event_id } = mobileState.parse((await registerMobile(reader)).body);
    const polled = await reader.api.get('/events', { queue_id, last_event_id, dont_block: true });
    expect(eventsOf(polled)).toEqual([]);
  });
});

describe('POST /register of the terminal', () => {
  it.each(['an administrator', 'a member', 'a guest'] as const)(
    'has every member that the terminal demands for %s, in time',
    async (name) => {
      const person = { 'an administrator': reader, 'a member': colleague, 'a guest': guest }[name];
      const startedAt = Date.now();
      const { body } = await registerTerminal(person);
      expect(Date.now() - startedAt).toBeLessThan(CLIENT_TIMEOUT_MS);
      const state = terminalState.parse(body);
      expect(state.realm_users.map(({ user_id }) => user_id)).toContain(person.id);
    },
  );

  it('lists subscribers, and names the empty topic', async () => {
    const state = terminalState.parse((await registerTerminal(reader)).body);
    const { subscribers } = state.subscriptions[0] ?? {};
    expect(subscribers?.toSorted((left, right) => left - right)).toEqual([
      reader.id,
      colleague.id,
      guest.id,
    ]);
    expect(state.unread_msgs.streams.map(({ topic }) => topic)).toEqual(['general chat', 'lunch']);
    expect(state.max_message_id).toBeGreaterThan(0);
    expect(state.presences[colleague.email]?.aggregated).toMatchObject({ client: 'website' });
  });
});

describe('POST /register of clients that only listen', () => {
  /** The content of the next message that the queue of a registration gets. */
  async function nextContent(person: Person, registered: Reply): Promise<unknown> {
    const { queue_id, last_event_id } = queueState.parse(registered.body);
    await expectSuccess(sendToPeople(colleague, [person], '*source*'));
    const poll = { queue_id, last_event_id, dont_block: true };
    const events = eventsOf(await person.api.get('/events', poll));
    expect(events.map(({ type }) => type)).toEqual(['message']);
    return events[0]?.['message'];
  }

  const source = { content: '*source*', content_type: 'text/x-markdown' };

  it('gives a bot of the Python library the source of messages', async () => {
    expect(await nextContent(third, await registerBot(third))).toMatchObject(source);
  });

  it.each([[['message']], [null]])('gives a script its queue: %j', async (types) => {
    const registered = await registerScript(third, { event_types: types });
    expect(await nextContent(third, registered)).toMatchObject(source);
  });

  it('gives a queue to a script without parameters, whose form is empty', async () => {
    const registered = await third.api.send('POST', '/register', {
      headers: {
        'content-type': 'multipart/form-data; boundary=--------------------------015',
        'content-length': '0',
      },
    });
    expect(await nextContent(third, registered)).toMatchObject(source);
  });

  it('does not sign in a client without credentials', async () => {
    expect(await new ApiClient(system.gatewayUrl).post('/register')).toMatchObject({ status: 401 });
  });
});
