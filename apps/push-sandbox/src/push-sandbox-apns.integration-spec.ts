import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { appleToken, closed, exchange, SandboxUnderTest, topic } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';

describe('push sandbox: the APNs listener', () => {
  const sut = useFixture(() => SandboxUnderTest.start());
  let token: string;

  beforeAll(async () => {
    token = await sut.providerToken();
  });
  beforeEach(() => sut.reset());

  const setMode = (mode: object) => sut.control('PUT', '/api/platforms/apns', mode);
  const nextDelivery = async () => {
    let [delivery] = await sut.deliveries();
    while (delivery === undefined) [delivery] = await sut.deliveries();
    return delivery;
  };

  it('accepts a notification and lists it', async () => {
    const session = await sut.connect(sut.ports.apns);
    const id = '5f0a3a4e-2b0c-4a9c-9a50-0a1c5b0c7d11';

    const reply = await sut.notify(session, token, { 'apns-id': id });

    expect(reply).toMatchObject({ status: 200, body: '', headers: { 'apns-id': id } });
    const [delivery] = await sut.deliveries();
    expect(delivery).toMatchObject({
      platform: 'apns',
      token: appleToken,
      topic,
      payload: { aps: { alert: { title: 'Hello' } } },
      status: 200,
      reason: null,
    });
    expect(delivery?.headers).toEqual({
      authorization: '(hidden)',
      'apns-id': id,
      'apns-topic': topic,
      'apns-push-type': 'alert',
    });
    expect(Math.abs((delivery?.received_at ?? 0) - Date.now() / 1000)).toBeLessThan(60);
  });

  it('creates a missing apns-id', async () => {
    const session = await sut.connect(sut.ports.apns);
    const { headers } = await sut.notify(session, token);
    expect(headers['apns-id']).toMatch(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
  });

  it('speaks HTTP/2 only', async () => {
    const socket = connectTls({
      host: '127.0.0.1',
      port: sut.ports.apns,
      ca: sut.ca,
      ALPNProtocols: ['http/1.1'],
    });
    const [error]: unknown[] = await once(socket, 'error').catch((failure: unknown) => [failure]);
    expect(String(error)).toMatch(/no application protocol/i);
  });

  it('grants one stream until the first valid provider token, then 1000', async () => {
    const session = await sut.connect(sut.ports.apns);
    expect(session.remoteSettings.maxConcurrentStreams).toBe(1);

    await sut.notify(session, 'not-a-token');
    expect(session.remoteSettings.maxConcurrentStreams).toBe(1);

    const widened = once(session, 'remoteSettings');
    await sut.notify(session, token);
    await widened;
    expect(session.remoteSettings.maxConcurrentStreams).toBe(1000);
  });

  it('refuses missing, foreign, expired and too often changed provider tokens', async () => {
    const session = await sut.connect(sut.ports.apns);
    const reasons = [
      await sut.notify(session, '', { authorization: undefined }),
      await sut.notify(session, `${token.slice(0, -8)}AAAAAAAA`),
      await sut.notify(session, await sut.providerToken(Date.now() / 1000 - 3700)),
      await sut.notify(session, token),
      await sut.notify(session, await sut.providerToken(Date.now() / 1000 - 5)),
      await sut.notify(session, token),
    ].map(({ status, body }) => `${status} ${body}`);

    expect(reasons).toEqual([
      '403 {"reason":"MissingProviderToken"}',
      '403 {"reason":"InvalidProviderToken"}',
      '403 {"reason":"ExpiredProviderToken"}',
      '200 ',
      '429 {"reason":"TooManyProviderTokenUpdates"}',
      '200 ',
    ]);
  });

  it('refuses what Apple refuses, and lists it with the reason', async () => {
    const session = await sut.connectToApple(token);
    const large = { aps: { alert: 'x'.repeat(4096) } };
    const path = `/3/device/${appleToken}`;
    const headers = { ':path': path, authorization: `bearer ${token}`, 'apns-topic': topic };
    const bodies = [
      await exchange(session, { ...headers, ':method': 'GET' }, ''),
      await exchange(session, { ...headers, ':method': 'POST' }, large),
      await exchange(session, { ...headers, ':method': 'POST' }, ''),
      await sut.notify(session, token, { 'apns-collapse-id': 'c'.repeat(65) }),
      await sut.notify(session, token, {}, 'short'),
    ].map(({ status, body }) => `${status} ${body}`);

    expect(bodies).toEqual([
      '405 {"reason":"MethodNotAllowed"}',
      '413 {"reason":"PayloadTooLarge"}',
      '400 {"reason":"PayloadEmpty"}',
      '400 {"reason":"BadCollapseId"}',
      '400 {"reason":"BadDeviceToken"}',
    ]);
    const listed = await sut.deliveries();
    expect(listed.map(({ status }) => status)).toEqual([200, 405, 413, 400, 400, 400]);
  });

  it('answers a token as scripted, a given number of times', async () => {
    const session = await sut.connectToApple(token);
    const script = { platform: 'apns', status: 410, reason: 'Unregistered' };
    await sut.control('PUT', `/api/tokens/${appleToken.toUpperCase()}`, {
      ...script,
      timestamp: 1_700_000_000_000,
      retry_after: 5,
      times: 1,
    });

    const refused = await sut.notify(session, token);
    const accepted = await sut.notify(session, token);

    expect(refused).toMatchObject({
      status: 410,
      body: '{"reason":"Unregistered","timestamp":1700000000000}',
      headers: { 'retry-after': '5' },
    });
    expect(accepted.status).toBe(200);

    await sut.control('PUT', `/api/tokens/${appleToken}`, script);
    expect((await sut.notify(session, token)).status).toBe(410);
    expect((await sut.notify(session, token)).status).toBe(410);
    await sut.control('DELETE', `/api/tokens/${appleToken}`);
    expect((await sut.notify(session, token)).status).toBe(200);
  });

  it('counts notifications that a phone shows twice', async () => {
    const session = await sut.connectToApple(token);
    await sut.control('DELETE', '/api/deliveries');
    const id = '5f0a3a4e-2b0c-4a9c-9a50-0a1c5b0c7d11';
    await sut.notify(session, token, { 'apns-id': id });
    await sut.notify(session, token, { 'apns-id': id });
    await sut.notify(session, token);
    await sut.notify(session, token, { 'apns-priority': '3' });

    const { json } = await sut.control('GET', '/api/deliveries/summary');

    expect(json).toEqual({
      apns: {
        '200': { attempts: 3, distinct: 2, duplicates: 1 },
        '400': { attempts: 1, distinct: 1, duplicates: 0 },
      },
      fcm: {},
      web: {},
    });
  });

  describe('modes', () => {
    it('down: drops connections, refuses new ones, and recovers', async () => {
      const session = await sut.connectToApple(token);
      const gone = closed(session);
      await setMode({ mode: 'down' });
      await gone;
      await expect(sut.connect(sut.ports.apns)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      expect((await sut.control('GET', '/health/ready')).status).toBe(200);

      await setMode({ mode: 'ok' });
      const again = await sut.connect(sut.ports.apns);
      expect((await sut.notify(again, token)).status).toBe(200);
    });

    it('hang: never answers, and nothing reaches the phone', async () => {
      const session = await sut.connect(sut.ports.apns);
      await setMode({ mode: 'hang' });
      const hung = sut.notify(session, token);
      const delivery = await nextDelivery();
      session.destroy();

      await expect(hung).rejects.toThrow('closed without an answer');
      expect(delivery).toMatchObject({ token: appleToken, status: null, reason: 'hang' });
    });

    it('reset: drops the connection during a request', async () => {
      const session = await sut.connect(sut.ports.apns);
      await setMode({ mode: 'reset' });
      const gone = closed(session);
      await expect(sut.notify(session, token)).rejects.toThrow('ECONNRESET');
      await gone;
      expect(await sut.deliveries()).toMatchObject([{ status: null, reason: 'reset' }]);
    });

    it('slow: answers late, but the phone shows it at once', async () => {
      const session = await sut.connectToApple(token);
      await sut.control('DELETE', '/api/deliveries');
      await setMode({ mode: 'slow', delay_ms: 200 });
      const startedAt = performance.now();
      const pending = sut.notify(session, token);
      await nextDelivery();
      expect((await pending).status).toBe(200);
      expect(performance.now() - startedAt).toBeGreaterThan(190);
    });

    it('throttle and bad_credentials: refuse everything', async () => {
      const session = await sut.connect(sut.ports.apns);
      await setMode({ mode: 'throttle', retry_after: 7 });
      expect(await sut.notify(session, token)).toMatchObject({
        status: 429,
        body: '{"reason":"TooManyRequests"}',
        headers: { 'retry-after': '7' },
      });
      await setMode({ mode: 'bad_credentials' });
      expect(await sut.notify(session, token)).toMatchObject({
        status: 403,
        body: '{"reason":"InvalidProviderToken"}',
      });
    });

    it('goaway: sends it while requests are in flight, and answers all of them', async () => {
      const session = await sut.connectToApple(token);
      await sut.control('DELETE', '/api/deliveries');
      await setMode({ mode: 'slow', delay_ms: 300 });
      const inFlight = Array.from({ length: 5 }, () => sut.notify(session, token));
      while ((await sut.deliveries()).length < 5);
      const goaway = once(session, 'goaway');
      await setMode({ mode: 'goaway' });

      const [code]: unknown[] = await goaway;
      expect(code).toBe(0);
      const statuses = (await Promise.all(inFlight)).map(({ status }) => status);
      expect(statuses).toEqual([200, 200, 200, 200, 200]);
    });

    it('goaway: sends it on a new connection with its first request, and answers that', async () => {
      await setMode({ mode: 'goaway' });
      const session = await sut.connect(sut.ports.apns);
      const goaway = once(session, 'goaway');
      expect((await sut.notify(session, token)).status).toBe(200);
      await goaway;
    });

    it('blackhole: open connections become silent, new ones work', async () => {
      const open = await sut.connectToApple(token);
      await sut.control('DELETE', '/api/deliveries');
      await setMode({ mode: 'blackhole' });
      const lost = sut.notify(open, token);
      expect(await nextDelivery()).toMatchObject({ status: null, reason: 'blackhole' });

      const fresh = await sut.connect(sut.ports.apns);
      expect((await sut.notify(fresh, token)).status).toBe(200);
      open.destroy();
      await expect(lost).rejects.toThrow('closed without an answer');
    });
  });
});
