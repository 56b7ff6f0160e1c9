import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { runCarillon } from '#test/run-carillon';
import type { SandboxBrowser } from '#test/sandbox-client';
import { useSystem } from '#test/use-system';

const PATH = '/users/me/web_push_subscription';

const system = useSystem();
let publicKey: string;

beforeAll(async () => {
  const client = await EventClient.register(system.api('bob'), { event_types: ['realm'] });
  expect((await runCarillon(system, ['web-push-keys', 'add'])).exitCode).toBe(0);
  const [event] = await eventually(async () => {
    const events = await client.drain();
    expect(events).toHaveLength(1);
    return events;
  });
  expect(event).toMatchObject({ op: 'update', property: 'server_web_push_public_key' });
  publicKey = String(event?.['value']);
});

const bob = () => system.api('bob');

/** What a browser has received, decrypted, the oldest first. */
const received = async ({ token }: SandboxBrowser) =>
  (await system.sandbox.shownOn(token)).map(({ decrypted }) => decrypted);

/** The last of so many pushes to a browser. */
const nth = (browser: SandboxBrowser, count: number) =>
  eventually(async () => {
    const pushes = await received(browser);
    expect(pushes).toHaveLength(count);
    return pushes.at(-1);
  });

async function register(browser: SandboxBrowser, kind = 'browser'): Promise<number> {
  const { endpoint, p256dh, auth } = browser;
  const fields = { endpoint, p256dh, auth, kind, vapid_public_key: publicKey };
  const { body } = await bob().post(PATH, fields);
  expect(body).toMatchObject({ result: 'success', state: 'pending' });
  return Number(body['subscription_id']);
}

/** A browser with an active subscription. */
async function subscribe(kind?: string) {
  const browser = await system.sandbox.addBrowser(publicKey);
  const id = await register(browser, kind);
  const push = await nth(browser, 1);
  expect(push).toMatchObject({ type: 'confirm', subscription_id: id });
  const token = push?.['confirmation_token'];
  const fields = { subscription_id: id, confirmation_token: token };
  expect(await bob().post(`${PATH}/confirm`, fields)).toMatchObject({ status: 200 });
  return { browser, id };
}

const send = async (content: string): Promise<number> => {
  const to = [system.user('bob').user_id];
  const { body } = await system.api('alice').post('/messages', { type: 'direct', to, content });
  return Number(body['id']);
};
const read = (messageId: number) =>
  bob().post('/messages/flags', { messages: [messageId], op: 'add', flag: 'read' });

describe('A subscription of Web Push', () => {
  it('is confirmed, shows messages, and learns which of them were read', async () => {
    const { browser } = await subscribe();
    const phone = (await subscribe('unifiedpush')).browser;
    const first = await send('Hello');
    const message = { type: 'message', message_id: first, content: 'Hello' };
    expect(await nth(browser, 2)).toMatchObject(message);
    expect(await nth(phone, 2)).toMatchObject(message);
    await read(first);
    expect(await nth(phone, 3)).toMatchObject({ type: 'remove', message_ids: [first] });
    const second = await send('Again');
    const again = { type: 'message', message_id: second };
    expect(await nth(browser, 3)).toMatchObject({ ...again, read_message_ids: [first] });
    expect(await nth(phone, 4)).not.toHaveProperty('read_message_ids');
  });

  it('gets what was accepted while the worker was dead', async () => {
    const { browser, id } = await subscribe();
    await system.kill('push-worker');
    const test = await bob().post(`${PATH}/test_notification`, { subscription_id: id });
    expect(test.status).toBe(200);
    await system.start('push-worker');
    // The killed worker may not have recorded that it sent the confirmation, which then comes again before.
    await eventually(async () => {
      expect((await received(browser)).at(-1)).toMatchObject({ type: 'test' });
    });
  });

  it('gets nothing after a new API key', async () => {
    const { id } = await subscribe();
    const { prisma } = system.database.database;
    await bob().post('/users/me/api_key/regenerate');
    await eventually(async () => {
      expect(await prisma.webPushSubscription.findUnique({ where: { id } })).toBeNull();
    });
  });
});
