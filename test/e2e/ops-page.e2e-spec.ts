import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { encodeForm, type Fields } from '#test/api-client';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { type Reply, sendRequest } from '#test/http-request';
import { loadPage } from '#test/page-files';
import { Phone } from '#test/phone';
import { RemoteServer } from '#test/remote-server';
import { useSystem } from '#test/use-system';

const TEST = '/mobile_push/test_notification';

describe('The ops page', () => {
  const system = useSystem({ environment: { PUSH_TEST_WAIT_MS: '0' } });

  const ask = (path: string, fields?: Fields): Promise<Reply> =>
    sendRequest(`${system.gatewayUrl}/ops${path}`, {
      method: fields === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${system.demo.ops.token}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      ...(fields !== undefined && { body: encodeForm(fields) }),
    });

  const shown = async (phone: Phone): Promise<number> =>
    (await system.sandbox.shownOn(phone.token)).length;

  it('is at the address of demo.json, and requires its token', async () => {
    const { url, token } = system.demo.ops;
    const headers = { authorization: `Bearer ${token}` };
    expect((await sendRequest(url, { headers })).text).toContain('Carillon operations');
    expect((await sendRequest(url)).status).toBe(401);
    expect((await ask('/queues/api/queues')).status).toBe(200);
  });

  it('serves all of its files', async () => {
    const { url, token } = system.demo.ops;
    const files = await loadPage(url, { authorization: `Bearer ${token}` });
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['ops.css', 'ops.js', 'charts.js', 'events.js', 'servers.js']),
    );
    for (const [name, { status }] of files) expect({ name, status }).toEqual({ name, status: 200 });
  });

  it('shows the worker and its deliveries', async () => {
    const phone = await Phone.android().register(system.api('alice'));
    await system.api('alice').post(TEST, { token: phone.token });
    await eventually(async () => {
      const { body } = await ask('/api/overview');
      expect(body).toMatchObject({
        pipeline: {
          platforms: { apns: { hasWorkers: true }, fcm: { hasWorkers: true } },
          workers: [{ version: expect.any(String) }],
        },
      });
      expect(JSON.stringify(body['pipeline'])).toMatch(/"delivered":\[[\d,]*[1-9]/);
    });
  });

  it('shows the events that the gateway delivers', async () => {
    const { api_key, email } = system.user('alice');
    const client = await EventClient.register(system.api({ api_key, email }));
    const waiting = client.take();
    await eventually(async () => {
      const { body } = await ask('/api/overview');
      expect(body).toMatchObject({
        events: { gateways: [{ heldPolls: 1, windows: { organisations: 1 } }] },
      });
    });
    await system.api('alice').post('/saved_snippets', { title: 'T', content: 'C' });
    await waiting;
    await eventually(async () => {
      const { body } = await ask('/api/overview');
      expect(body).toMatchObject({
        events: {
          gateways: [
            {
              heldPolls: 0,
              windows: { events: 1 },
              lastMinute: { polls: 1, delivered: 1, overflowed: 0, lagMs: expect.anything() },
            },
          ],
          queues: { count: expect.any(Number) },
        },
      });
    });
  });

  it('pauses and resumes a platform', async () => {
    const phone = await Phone.android().register(system.api('bob'));
    expect((await ask('/api/platforms/fcm/pause', {})).status).toBe(200);
    await system.api('bob').post(TEST, { token: phone.token });
    await eventually(async () => {
      const { body } = await ask('/api/overview');
      expect(body).toMatchObject({
        pipeline: { platforms: { fcm: { isPaused: true, waiting: 1 } } },
      });
    });
    expect(await shown(phone)).toBe(0);
    await ask('/api/platforms/fcm/resume', {});
    await eventually(async () => expect(await shown(phone)).toBe(1));
  });

  it('lists and requeues a dead letter, and shows its history', async () => {
    const phone = await Phone.iphone().register(system.api('carol'));
    const refusal = { platform: 'apns', reason: 'PayloadTooLarge', times: 1 } as const;
    await system.sandbox.answer(phone.token, refusal);
    await system.api('carol').post(TEST, { token: phone.token });
    const letter = await eventually(async () => {
      const { body } = await ask('/api/dead-letters?reason=PayloadTooLarge');
      const [first] = body['deadLetters'] as { id: string; notificationId: string }[];
      if (first === undefined) throw new Error('There is no dead letter yet');
      return first;
    });
    expect(JSON.stringify(letter)).not.toContain(phone.token);
    const requeued = await ask('/api/dead-letters/requeue', { ids: letter.id });
    expect(requeued.body).toEqual({ requeued: 1 });
    await eventually(async () => expect(await shown(phone)).toBe(1));
    await eventually(async () => {
      const { body } = await ask(`/api/notifications?notification=${letter.notificationId}`);
      expect(body).toMatchObject({
        notifications: [{ states: { delivered: 1 }, deliveries: [{ state: 'delivered' }] }],
      });
    });
  });

  it('limits, stops and starts a server of another installation', async () => {
    const server = await RemoteServer.register(system.gatewayUrl);
    const account = { user_uuid: randomUUID() };
    const register = (token: string) =>
      server.post('/push/register', { ...account, token, token_kind: 2 });
    const limits = { server: server.hostname, requests: '', pushes: '', devices: '1' };
    expect((await ask('/api/servers/limit', limits)).status).toBe(200);
    expect(await register('first')).toMatchObject({ status: 200 });
    expect(await register('second')).toMatchObject({ status: 400 });
    const stopped = { server: server.hostname, reason: 'Unpaid' };
    expect((await ask('/api/servers/stop', stopped)).status).toBe(200);
    expect(await server.postJson('/push/notify', account)).toMatchObject({
      status: 400,
      body: { code: 'PUSH_NOTIFICATIONS_DISALLOWED', msg: expect.stringContaining('Unpaid') },
    });
    expect((await ask('/api/servers/start', { server: server.hostname })).status).toBe(200);
    expect(await server.postJson('/push/notify', account)).toMatchObject({
      status: 200,
      body: { total_android_devices: 1 },
    });
  });
});
