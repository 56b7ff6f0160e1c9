import { beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '#test/eventually';
import { useGateway } from '#test/start-gateway';

/** An answer, or an object with methods: the library has no types. */
type Answer = Readonly<Record<string, unknown>>;
type Method = (parameters?: unknown) => Promise<Answer>;

const connect: (config: Readonly<Record<string, string>>) => Promise<object> = createRequire(
  import.meta.url,
)('zulip-js');

/** Tested as a program of its own, because it never ends. */
const ENDLESS = 'callOnEachEvent';

/** All methods of the client, by their names with dots. */
const methodsOf = (client: object, prefix = ''): [string, Method][] =>
  Object.entries(client).flatMap(([name, value]): [string, Method][] => {
    if (typeof value === 'function') return [[`${prefix}${name}`, value]];
    const isGroup = typeof value === 'object' && value !== null && name !== 'config';
    return isGroup ? methodsOf(value, `${prefix}${name}.`) : [];
  });

const done = { result: 'success', msg: '' };

const system = useGateway({});
let methods: Map<string, Method>;
const called = new Set<string>();

beforeAll(async () => {
  const { email: username, api_key: apiKey } = system.user('admin');
  const client = await connect({ username, apiKey, realm: system.gatewayUrl });
  methods = new Map(methodsOf(client));
});

function call(name: string, parameters?: unknown): Promise<Answer> {
  called.add(name);
  const method = methods.get(name);
  if (method === undefined) throw new Error(`zulip-js has no ${name}.`);
  return method(parameters);
}

const idOf = ({ id }: Answer): number => Number(id);

const send = async (content: string, topic = 'zulip-js'): Promise<number> =>
  idOf(await call('messages.send', { to: 'general', type: 'stream', topic, content }));

describe('zulip-js', () => {
  it('signs in with a password, and with a configuration file', async () => {
    const { email: username, password, api_key: key } = system.user('alice');
    const realm = `${system.gatewayUrl}/api`;
    const byPassword = await connect({ username, password, realm });
    const folder = await mkdtemp(path.join(tmpdir(), 'carillon-zulip-js-'));
    try {
      const zuliprc = path.join(folder, 'zuliprc');
      const lines = ['[api]', `email=${username}`, `key=${key}`, `site=${system.gatewayUrl}`];
      await writeFile(zuliprc, lines.join('\n'));
      for (const client of [byPassword, await connect({ zuliprc })]) {
        const profile = new Map(methodsOf(client)).get('users.me.getProfile');
        expect(await profile?.()).toMatchObject({ ...done, email: username });
      }
    } finally {
      await rm(folder, { recursive: true });
    }
    called.add('accounts.retrieve');
  });

  it('reads what there is', async () => {
    expect(await call('server.settings')).toMatchObject({ ...done, realm_name: 'Carillon Demo' });
    expect(await call('users.retrieve', { client_gravatar: true })).toMatchObject(done);
    const { email } = system.user('admin');
    expect(await call('users.me.getProfile')).toMatchObject({ ...done, email });
    expect(await call('streams.retrieve')).toMatchObject({ streams: expect.any(Array) });
    const general = system.demo.channels['general'];
    expect(await call('streams.getStreamId', 'general')).toMatchObject({ stream_id: general });
    const subscriptions = await call('streams.subscriptions.retrieve');
    expect(subscriptions).toMatchObject({ ...done, subscriptions: expect.any(Array) });
    const topics = await call('streams.topics.retrieve', { stream_id: general });
    expect(topics).toMatchObject({ ...done, topics: expect.any(Array) });
    expect(await call('emojis.retrieve')).toMatchObject({ ...done, emoji: expect.any(Object) });
    expect(await call('users.me.alertWords.retrieve')).toMatchObject({ ...done, alert_words: [] });
    const other = await call('callEndpoint', 'users/me');
    expect(other).toMatchObject({ ...done, email });
  });

  it('sends, reads, changes and deletes messages', async () => {
    const id = await send('**hello**');
    const narrow = [
      { operator: 'sender', operand: system.user('admin').email },
      { operator: 'stream', operand: 'general' },
    ];
    const window = { anchor: 'newest', num_before: 1, num_after: 0, narrow };
    expect(await call('messages.retrieve', window)).toMatchObject({ messages: [{ id }] });
    expect(await call('messages.render', '**foo**')).toMatchObject({
      rendered: '<p><strong>foo</strong></p>',
    });
    expect(await call('messages.update', { message_id: id, content: 'bye' })).toMatchObject(done);
    expect(await call('messages.getById', { message_id: id })).toMatchObject({
      raw_content: 'bye',
    });
    const { message_history: history } = await call('messages.getHistoryById', { message_id: id });
    expect(history).toHaveLength(2);
    const flag = { messages: [id], flag: 'starred' };
    expect(await call('messages.flags.add', flag)).toMatchObject({ messages: [id] });
    expect(await call('messages.flags.remove', flag)).toMatchObject({ messages: [id] });
    const reaction = { message_id: id, emoji_name: 'octopus' };
    expect(await call('reactions.add', reaction)).toMatchObject(done);
    expect(await call('reactions.remove', reaction)).toMatchObject(done);
    expect(await call('reactions.add', reaction)).toMatchObject(done);
    expect(await call('messages.deleteReactionById', reaction)).toMatchObject(done);
    const people = [system.user('alice').user_id, system.user('bob').user_id];
    const direct = { to: people, type: 'private', content: 'hello' };
    expect(await call('messages.send', direct)).toMatchObject({ ...done, id: expect.any(Number) });
    expect(await call('typing.send', { to: people, op: 'start' })).toMatchObject(done);
    expect(await call('messages.deleteById', { message_id: id })).toMatchObject(done);
  });

  it('adds accounts and subscriptions, and archives a channel', async () => {
    const person = { email: 'js@demo.carillon.test', password: 'js-password-1', full_name: 'Jay' };
    const created = await call('users.create', { ...person, short_name: 'jay' });
    expect(created).toMatchObject(done);
    const subscriptions = JSON.stringify([{ name: 'of zulip-js' }]);
    const principals = JSON.stringify([created['user_id']]);
    expect(await call('users.me.subscriptions.add', { subscriptions })).toMatchObject(done);
    const others = { subscriptions, principals };
    expect(await call('users.me.subscriptions.add', others)).toMatchObject(done);
    const names = { subscriptions: JSON.stringify(['of zulip-js']), principals };
    expect(await call('users.me.subscriptions.remove', names)).toMatchObject({
      removed: ['of zulip-js'],
    });
    const { stream_id: channelId } = await call('streams.getStreamId', 'of zulip-js');
    expect(await call('streams.deleteById', { stream_id: channelId })).toMatchObject(done);
  });

  it('polls a queue', async () => {
    const registered = await call('queues.register', { event_types: ['message'] });
    const { queue_id: queueId, last_event_id: lastEventId } = registered;
    const id = await send('for the queue');
    const poll = { queue_id: queueId, last_event_id: lastEventId, dont_block: false };
    expect(await call('events.retrieve', poll)).toMatchObject({
      events: [{ type: 'message', message: { id, content_type: 'text/x-markdown' } }],
    });
    expect(await call('queues.deregister', { queue_id: queueId })).toMatchObject(done);
  });

  it('gets events in its endless loop', async () => {
    const { email, api_key: key } = system.user('alice');
    const script = path.join('test', 'clients', 'zulip-js-events.mjs');
    const program = spawn(process.execPath, [script, system.gatewayUrl, email, key]);
    let printed = '';
    program.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
    try {
      await eventually(async () => {
        // What is sent before the program has its queue does not reach it.
        await send('for the loop');
        expect(printed).toContain('"content":"for the loop"');
      });
    } finally {
      program.kill();
    }
    called.add(ENDLESS);
  });

  it('is refused what there is not', async () => {
    for (const name of [
      'users.me.pointer.retrieve',
      'users.me.pointer.update',
      'filters.retrieve',
    ]) {
      expect(await call(name, 1)).toMatchObject({ result: 'error', msg: expect.any(String) });
    }
  });

  it('was called with every method', () => {
    expect([...methods.keys()].filter((name) => !called.has(name))).toEqual([]);
  });
});
