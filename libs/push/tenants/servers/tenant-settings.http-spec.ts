import { afterAll, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { ApiClient } from '#test/api-client';
import { RemoteServer } from '#test/remote-server';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';

describe('The settings of the push service', () => {
  const started: System[] = [];
  const start = async (settings: Record<string, string>) => {
    const own = await startGateway(settings);
    started.push(own);
    return own;
  };
  afterAll(() => Promise.all(started.map((one) => one.stop())));

  it('serves no such path while it is off', async () => {
    const own = await start({ PUSH_SERVICE_ENABLED: 'false' });
    const reply = await new RemoteServer(own.gatewayUrl).signUp();
    expect(reply).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('limits hosts, requests and new servers', async () => {
    const own = await start({
      PUSH_SERVICE_HOSTS: 'push.chat.test,127.0.0.1',
      RATE_LIMIT_SERVER: '60:4',
      RATE_LIMIT_NEW_SERVERS: '86400:2',
    });
    const server = await RemoteServer.register(own.gatewayUrl);
    const away = new ApiClient(own.gatewayUrl, {
      email: server.id,
      api_key: server.key,
      host: 'chat.test',
    });
    expect(await away.get('/remotes/server/analytics/status')).toMatchObject({
      status: 401,
      body: { msg: 'Invalid subdomain for push notifications bouncer' },
    });
    const replies = [];
    for (let call = 0; call < 5; call += 1)
      replies.push(await server.post('/push/unregister/all', { user_id: 1 }));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
    expect(replies[4]).toMatchObject({
      headers: { 'retry-after': expect.anything(), 'x-ratelimit-limit': '4' },
      body: { code: 'RATE_LIMIT_HIT', 'retry-after': expect.any(Number) },
    });
    expect((await new RemoteServer(own.gatewayUrl).signUp()).status).toBe(200);
    expect((await new RemoteServer(own.gatewayUrl).signUp()).status).toBe(429);
  });

  it('does not count uploads, and the questions before them, as requests', async () => {
    // The usual limit of uploads.
    const own = await start({ RATE_LIMIT_SERVER: '86400:4', RATE_LIMIT_SERVER_UPLOADS: '' });
    const server = await RemoteServer.register(own.gatewayUrl);
    const statuses = new Set<number>();
    for (let change = 1; change <= 12; change += 1) {
      statuses.add((await server.get('/server/analytics/status')).status);
      statuses.add((await server.upload()).status);
    }
    expect([...statuses]).toEqual([200]);
    expect(await server.post('/push/unregister/all', { user_id: 1 })).toMatchObject(success);
  });

  it('limits uploads by their size before their bodies are read, and takes smaller ones', async () => {
    const own = await start({ RATE_LIMIT_SERVER_UPLOADS: '86400:5' });
    // Its registration is its first upload.
    const server = await RemoteServer.register(own.gatewayUrl);
    const large = { merge_base: JSON.stringify('x'.repeat(2000)), ignored: 'x'.repeat(40_000) };
    const statuses = [];
    for (const fields of [large, large, {}, {}])
      statuses.push((await server.upload(fields)).status);
    expect(statuses).toEqual([200, 429, 200, 429]);
    expect(await server.post('/push/unregister/all', { user_id: 1 })).toMatchObject(success);
  });

  it('does not count refused uploads as uploads, but bounds them', async () => {
    const own = await start({
      RATE_LIMIT_SERVER: '86400:5',
      RATE_LIMIT_SERVER_UPLOADS: '86400:3',
    });
    const server = await RemoteServer.register(own.gatewayUrl);
    const refused = async () => (await server.postJson('/server/analytics', 'no JSON')).status;
    const statuses = [];
    for (let call = 0; call < 5; call += 1) statuses.push(await refused());
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
    expect(await server.upload()).toMatchObject(success);
    expect(await refused()).toBe(400);
    expect(await server.upload()).toMatchObject({ status: 429 });
  });

  it('is closed to new servers only', async () => {
    const own = await start({ PUSH_SERVICE_REGISTRATION: 'closed' });
    expect(await new RemoteServer(own.gatewayUrl).signUp()).toMatchObject({
      status: 403,
      body: { code: 'BAD_REQUEST', msg: 'Registration is closed.' },
    });
  });
});
