import { beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '#test/api-client';
import { EventClient } from '#test/event-client';
import { sendRequest } from '#test/http-request';
import { filePart, multipart } from '#test/uploads-multipart';
import { useSystem } from '#test/use-system';
import { MobileApp } from './mobile-app.fixture.js';

/** A day of the mobile app of one account, while another account does its part in the browser. */

/** The app of "alice". */
let app: MobileApp;
let bob: ApiClient;
let aliceId: number;
let bobId: number;
let general: number;

const window = { num_before: 100, num_after: 100, allow_empty_topic_name: true };
const topic = 'the day';

const system = useSystem({ programs: ['presence', 'api-gateway'] });

beforeAll(async () => {
  bob = system.api('bob');
  aliceId = system.user('alice').user_id;
  bobId = system.user('bob').user_id;
  general = system.demo.channels['general'] ?? 0;
  app = await signIn();
});

/** From the address of the server to a registered queue. */
async function signIn(): Promise<MobileApp> {
  const unknown = new MobileApp(system.gatewayUrl);
  const { realm_url: origin } = await unknown.ask('serverSettings', 'GET /server_settings');
  const { email: username, password } = system.user('alice');
  const keyed = new MobileApp(origin);
  const key = await keyed.ask('apiKey', 'POST /fetch_api_key', { username, password });
  const signedIn = new MobileApp(origin, key);
  await signedIn.register();
  return signedIn;
}

async function bobSends(content: string, to: unknown = general): Promise<number> {
  const type = Array.isArray(to) ? 'direct' : 'channel';
  const { body } = await bob.post('/messages', { type, to, topic, content });
  expect(body).toMatchObject({ result: 'success' });
  return Number(body['id']);
}

/** Sends a message as the app, whose queue gets it with its local id; resolves with the id. */
async function send(content: string, fields: Record<string, unknown> = {}): Promise<number> {
  const localId = `1763888000.${content.length}`;
  const place = { type: 'channel', to: general, topic };
  const own = { read_by_sender: true, queue_id: app.queueId, local_id: localId };
  const message = { ...place, content, ...own, ...fields };
  const { id } = await app.ask('id', 'POST /messages', message);
  const event = await app.next('message', (one) => one.message.id === id);
  expect(event).toMatchObject({ local_message_id: localId, flags: ['read'] });
  return id;
}

describe('A day of the mobile app', () => {
  it('starts with the whole state, and the names of emoji', async () => {
    const state = await new MobileApp(system.gatewayUrl, system.user('alice')).register();
    expect(state.user_id).toBe(aliceId);
    const names = await sendRequest(state.server_emoji_data_url, {});
    expect(JSON.parse(names.text)).toMatchObject({
      code_to_names: { '1f44d': expect.arrayContaining(['+1']) },
    });
  });

  it('reads messages at each anchor', async () => {
    const id = await bobSends('to read');
    for (const anchor of ['first_unread', 'newest', 'oldest', String(id)]) {
      const fields = { ...window, anchor, narrow: [] };
      const page = await app.ask('messages', 'GET /messages', fields);
      expect(page.messages.map((message) => message.id)).toContain(id);
    }
    const { raw_content: source } = await app.ask('message', `GET /messages/${id}`);
    expect(source).toBe('to read');
    await app.next('message', ({ message }) => message.id === id);
  });

  it('reads the messages of narrows', async () => {
    const id = await bobSends('a @**Alice Hart** in a haystack');
    const direct = await bobSends('a note', [aliceId]);
    await app.ask('flags', 'POST /messages/flags', { messages: [id], op: 'add', flag: 'starred' });
    const inChannel = { operator: 'channel', operand: general };
    const inTopic = { operator: 'topic', operand: topic };
    const narrows: [number, unknown[]][] = [
      [id, [inChannel]],
      [id, [inChannel, inTopic]],
      [id, [inChannel, inTopic, { operator: 'with', operand: id }]],
      [direct, [{ operator: 'dm', operand: [aliceId, bobId] }]],
      [id, [{ operator: 'is', operand: 'mentioned' }]],
      [id, [{ operator: 'is', operand: 'starred' }]],
      [id, [{ operator: 'search', operand: 'haystack' }]],
    ];
    for (const [wanted, narrow] of narrows) {
      const fields = { ...window, anchor: 'newest', narrow };
      const page = await app.ask('messages', 'GET /messages', fields);
      expect({ narrow, ids: page.messages.map((message) => message.id) }).toMatchObject({
        ids: expect.arrayContaining([wanted]),
      });
    }
    const { topics } = await app.ask('topics', `GET /users/me/${general}/topics`);
    expect(topics).toContainEqual({ name: topic, max_id: id });
  });

  it('sends to a channel, to people and to itself', async () => {
    const ids = [
      await send('hello'),
      await send('hello, bob', { type: 'direct', to: [bobId] }),
      await send('a note', { type: 'direct', to: [aliceId] }),
      await send('without a topic', { topic: '' }),
    ];
    expect(ids).toEqual(ids.toSorted((left, right) => left - right));
  });

  it('marks messages as read, one by one and by narrow', async () => {
    const [first, second] = [await bobSends('one'), await bobSends('two')];
    const flag = { messages: [first], op: 'add', flag: 'read' };
    expect(await app.ask('flags', 'POST /messages/flags', flag)).toMatchObject({
      messages: [first],
    });
    const read = await app.next('update_message_flags add', ({ messages }) =>
      messages.includes(first),
    );
    expect(read).toMatchObject({ flag: 'read', all: false });
    const unread = {
      anchor: 'oldest',
      include_anchor: false,
      num_before: 0,
      num_after: 1000,
      narrow: [{ operator: 'is', operand: 'unread' }],
      op: 'add',
      flag: 'read',
    };
    const done = await app.ask('flagsOfNarrow', 'POST /messages/flags/narrow', unread);
    expect(done).toMatchObject({ found_newest: true, last_processed_id: second });
    await app.next('update_message_flags add', ({ messages }) => messages.includes(second));
    const back = { messages: [second], op: 'remove', flag: 'read' };
    await app.ask('flags', 'POST /messages/flags', back);
    const { message_details: details } = await app.next('update_message_flags remove');
    expect(details).toMatchObject({ [second]: { type: 'stream', stream_id: general, topic } });
  });

  it('reports its presence, and receives the presence of others', async () => {
    const there = { status: 'active', new_user_input: true, ping_only: false, slim_presence: true };
    const { presences } = await app.ask('presence', 'POST /users/me/presence', {
      ...there,
      history_limit_days: 14,
    });
    expect(presences).toHaveProperty([String(aliceId)]);
    await bob.post('/users/me/presence', { status: 'active' });
    expect(await app.next('presence', ({ user_id: id }) => id === bobId)).toBeDefined();
  });

  it('receives and sends typing events', async () => {
    const listener = await EventClient.register(bob, { event_types: ['typing'] });
    // Typing is kept for queues that have polled.
    await listener.drain();
    const direct = { op: 'start', type: 'direct', to: [bobId] };
    await app.ask('nothing', 'POST /typing', direct);
    expect(await listener.take()).toMatchObject([{ type: 'typing', message_type: 'direct' }]);
    const typing = app.next('typing start', ({ sender }) => sender.user_id === bobId);
    await bob.post('/typing', { op: 'start', type: 'channel', stream_id: general, topic });
    expect(await typing).toMatchObject({ message_type: 'stream', stream_id: general, topic });
  });

  it('reacts, edits, moves and deletes', async () => {
    const id = await send('a text');
    const path = `/messages/${id}`;
    const thumb = { emoji_name: '+1', emoji_code: '1f44d', reaction_type: 'unicode_emoji' };
    await app.ask('nothing', `POST ${path}/reactions`, thumb);
    expect(await app.next('reaction add')).toMatchObject({ message_id: id, user_id: aliceId });
    await app.ask('nothing', `DELETE ${path}/reactions`, thumb);
    expect(await app.next('reaction remove')).toMatchObject({ message_id: id });
    await app.ask('nothing', `PATCH ${path}`, { content: 'another text' });
    expect(await app.next('update_message')).toMatchObject({
      message_id: id,
      rendered_content: '<p>another text</p>',
    });
    const move = {
      topic: 'moved',
      propagate_mode: 'change_one',
      send_notification_to_old_thread: false,
    };
    await app.ask('nothing', `PATCH ${path}`, move);
    expect(await app.next('update_message')).toMatchObject({
      message_ids: [id],
      orig_subject: topic,
      subject: 'moved',
      propagate_mode: 'change_one',
    });
    await bob.post('/messages/flags', { messages: [id], op: 'add', flag: 'read' });
    const { user_ids: readers } = await app.ask('readers', `GET ${path}/read_receipts`);
    expect(readers).toEqual([bobId]);
    await app.ask('nothing', `DELETE ${path}`);
    expect(await app.next('delete_message')).toMatchObject({ message_ids: [id], topic: 'moved' });
  });

  it('votes in a poll', async () => {
    const id = await send('/poll Lunch?\npizza\nsoup');
    const { message } = await app.ask('message', `GET /messages/${id}`);
    expect(message.submessages).toHaveLength(1);
    const vote = { type: 'vote', key: 'canned,0', vote: 1 };
    await app.ask('nothing', 'POST /submessage', {
      message_id: id,
      msg_type: 'widget',
      content: JSON.stringify(vote),
    });
    const { content } = await app.next('submessage', (one) => one.message_id === id);
    expect(JSON.parse(content)).toEqual(vote);
  });

  it('follows a topic, and changes subscriptions', async () => {
    const followed = { stream_id: general, topic, visibility_policy: 3 };
    await app.ask('nothing', 'POST /user_topics', followed);
    expect(await app.next('user_topic')).toMatchObject({ topic_name: topic, visibility_policy: 3 });
    await bob.post('/users/me/subscriptions', { subscriptions: [{ name: 'garden' }] });
    const { streams } = await app.next('stream create');
    const [{ stream_id: id } = { stream_id: 0 }] = streams;
    const byName = { subscriptions: [{ name: 'garden' }] };
    const { subscribed } = await app.ask('subscribed', 'POST /users/me/subscriptions', byName);
    expect(Object.values(subscribed)).toEqual([['garden']]);
    expect((await app.next('subscription add')).subscriptions).toMatchObject([{ stream_id: id }]);
    for (const [property, value] of [
      ['color', '#00aa11'],
      ['is_muted', true],
      ['pin_to_top', true],
    ]) {
      await app.ask('nothing', 'POST /users/me/subscriptions/properties', {
        subscription_data: [{ stream_id: id, property, value }],
      });
      const changed = await app.next('subscription update', (one) => one.property === property);
      expect(changed).toMatchObject({ stream_id: id, value });
    }
    await app.ask('nothing', 'DELETE /users/me/subscriptions', { subscriptions: ['garden'] });
    expect(await app.next('subscription remove')).toMatchObject({
      subscriptions: [{ stream_id: id }],
    });
  });

  it('changes its status, its settings and its snippets, and mutes an account', async () => {
    const status = { status_text: 'At lunch', emoji_name: 'car' };
    await app.ask('nothing', 'POST /users/me/status', status);
    expect(await app.next('user_status')).toMatchObject({ user_id: aliceId, ...status });
    await app.ask('nothing', 'PATCH /settings', { twenty_four_hour_time: true });
    const setting = { property: 'twenty_four_hour_time', value: true };
    expect(await app.next('user_settings update')).toMatchObject(setting);
    const snippet = { title: 'Directions', content: 'Turn left.' };
    await app.ask('snippet', 'POST /saved_snippets', snippet);
    expect((await app.next('saved_snippets add')).saved_snippet).toMatchObject(snippet);
    await app.ask('nothing', `POST /users/me/muted_users/${bobId}`);
    expect((await app.next('muted_users')).muted_users).toMatchObject([{ id: bobId }]);
    await app.ask('nothing', `DELETE /users/me/muted_users/${bobId}`);
    expect((await app.next('muted_users')).muted_users).toEqual([]);
  });

  it('uploads a file, and opens it without a sign-in', async () => {
    const alice = system.api('alice');
    const { body } = await alice.send(
      'POST',
      '/user_uploads',
      multipart(filePart('a.txt', 'text')),
    );
    const { url } = body as { readonly url: string };
    expect(await app.next('attachment add')).toMatchObject({ attachment: { name: 'a.txt' } });
    await send(`[a.txt](${url})`);
    const { url: temporary } = await app.ask('temporaryAddress', `GET ${url}`);
    const file = await sendRequest(`${system.gatewayUrl}${temporary}`, {});
    expect(file).toMatchObject({ status: 200, text: 'text' });
  });

  it('loads the pictures of accounts in both sizes', async () => {
    const { realm_users: users } = await new MobileApp(
      system.gatewayUrl,
      system.user('alice'),
    ).register();
    const [{ avatar_url: path } = { avatar_url: '' }] = users;
    const picture = new URL(String(path), system.gatewayUrl);
    // As the app makes the address of a picture for more than 100 pixels.
    const medium = new URL(picture);
    medium.pathname = picture.pathname.replace(/(?:\.png)?$/, '-medium.png');
    for (const { href } of [picture, medium]) {
      expect(await sendRequest(href, {})).toMatchObject({ status: 200 });
    }
  });

  it('reports a message', async () => {
    const id = await bobSends('unkind');
    const report = { report_type: 'harassment', description: 'Please look at this.' };
    expect(await app.ask('nothing', `POST /messages/${id}/report`, report)).toBeDefined();
  });

  it('signs in again after its key was replaced elsewhere', async () => {
    const { email: username, password } = system.user('alice');
    const browser = new MobileApp(
      system.gatewayUrl,
      await app.ask('apiKey', 'POST /fetch_api_key', { username, password }),
    );
    const held = app.next('heartbeat').catch((error: unknown) => error);
    await browser.ask('newKey', 'POST /users/me/api_key/regenerate');
    expect(await held).toBeInstanceOf(Error);
    expect(await app.send('POST /register')).toMatchObject({ status: 401 });
    app = await signIn();
    await send('back again');
  });
});
