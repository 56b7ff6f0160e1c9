import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '#test/eventually';
import { appleToken, SandboxUnderTest } from '#test/push-sandbox-client';
import { useFixture } from '#test/use-fixture';

describe('push sandbox: control, inbox and files', () => {
  const sut = useFixture(() => SandboxUnderTest.start());
  let appleJwt: string;

  beforeAll(async () => {
    appleJwt = await sut.providerToken();
  });
  beforeEach(() => sut.reset());

  const pageUrl = (path: string) => `http://127.0.0.1:${sut.ports.page}${path}`;

  it('creates credentials that only their owner can read', async () => {
    const modes = await Promise.all(
      ['ca.pem', 'apns.json', 'apns-key.p8', 'service-account.json', 'server-key.pem'].map(
        async (name) => [name, (await stat(join(sut.folder, name))).mode & 0o777],
      ),
    );
    expect(Object.fromEntries(modes)).toEqual({
      'ca.pem': 0o600,
      'apns.json': 0o600,
      'apns-key.p8': 0o600,
      'service-account.json': 0o600,
      'server-key.pem': 0o600,
    });
    expect(await sut.serviceAccount()).toMatchObject({
      project_id: 'carillon-demo',
      token_uri: `https://127.0.0.1:${sut.ports.fcm}/token`,
    });
  });

  it('lists deliveries by platform, token and time, the oldest first', async () => {
    const session = await sut.connectToApple(appleJwt);
    const other = 'b2'.repeat(32);
    const [first] = await sut.deliveries();
    // Otherwise both deliveries may have the same time in milliseconds.
    await eventually(() =>
      expect(Date.now() / 1000).toBeGreaterThan(first?.received_at ?? Infinity),
    );
    await sut.notify(session, appleJwt, {}, other);
    const accessToken = await sut.accessToken();
    await sut.message(accessToken, { token: 'an-android' });
    const tokensOf = async (query: string) =>
      (await sut.deliveries(query)).map(({ token }) => token);

    expect(await tokensOf('')).toEqual([appleToken, other, 'an-android']);
    expect(await tokensOf('?platform=fcm')).toEqual(['an-android']);
    expect(await tokensOf(`?token=${other.toUpperCase()}`)).toEqual([other]);
    expect(await tokensOf('?limit=1')).toEqual(['an-android']);
    const [, second] = await sut.deliveries();
    expect(await tokensOf(`?since=${second?.received_at}`)).not.toContain(appleToken);

    expect((await sut.control('DELETE', '/api/deliveries')).status).toBe(200);
    expect(await tokensOf('')).toEqual([]);
  });

  it.each([
    ['PUT', '/api/platforms/apns', { mode: 'asleep' }, /mode/],
    ['PUT', '/api/platforms/apns', { mode: 'slow' }, /delay_ms: the mode slow needs it/],
    ['PUT', '/api/platforms/apns', { mode: 'ok', retry_after: 1 }, /retry_after/],
    ['PUT', '/api/platforms/apns', { mode: 'ok', delay: 5 }, /delay/],
    ['PUT', '/api/platforms/apns', { mode: 'ok', shown: true }, /shown/],
    ['PUT', '/api/tokens/abc', { platform: 'fcm', no_answer: 'slow' }, /no_answer/],
    ['PUT', '/api/tokens/abc', { platform: 'fcm' }, /reason/],
    ['PUT', '/api/tokens/abc', { platform: 'fcm', reason: 'INTERNAL', html: true }, /status/],
    ['PUT', '/api/platforms/mail', { mode: 'ok' }, /expected apns, fcm or web/],
    ['PUT', '/api/tokens/abc', { status: 410 }, /platform/],
    ['PUT', '/api/tokens/abc', { platform: 'apns', reason: 'Tired' }, /status/],
    ['PUT', '/api/tokens/abc', { platform: 'fcm', reason: 'TIRED' }, /reason/],
    ['PUT', '/api/tokens/abc', { platform: 'fcm', reason: 'INTERNAL', times: 0 }, /times/],
    ['GET', '/api/deliveries?since=yesterday', undefined, /since: expected a number/],
    ['GET', '/api/deliveries?platform=mail', undefined, /platform/],
  ])('answers %s %s %j with the fault', async (method, path, body, message) => {
    const { status, json } = await sut.control(method, path, body);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toMatch(message);
  });

  it('accepts a DELETE with a JSON content type and no body', async () => {
    const response = await fetch(pageUrl('/api/deliveries'), {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
  });

  it('answers an unknown path with 404', async () => {
    expect(await sut.control('GET', '/api/nothing')).toMatchObject({ status: 404 });
  });

  it('is live and ready', async () => {
    expect(await sut.control('GET', '/health/live')).toMatchObject({ status: 200 });
    expect(await sut.control('GET', '/health/ready')).toMatchObject({ status: 200 });
  });

  it.each([
    ['/', 'text/html'],
    ['/base.css', 'text/css'],
    ['/inbox.css', 'text/css'],
    ['/inbox.js', 'text/javascript'],
    ['/phone.js', 'text/javascript'],
    ['/details.js', 'text/javascript'],
    ['/dom.js', 'text/javascript'],
    ['/phone.css', 'text/css'],
    ['/details.css', 'text/css'],
  ])('serves %s of the inbox', async (path, type) => {
    const response = await fetch(pageUrl(path));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toContain(type);
    expect(await response.text()).not.toBe('');
  });

  it('sends events to the page', async () => {
    const session = await sut.connectToApple(appleJwt);
    const abort = new AbortController();
    const response = await fetch(pageUrl('/api/events'), { signal: abort.signal });
    let heard = '';
    const hear = async (part: string) => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        heard += decoder.decode(chunk, { stream: true });
        if (heard.includes(part)) return;
      }
    };
    const reader = hear('sent-later');

    await sut.control('PUT', '/api/platforms/fcm', { mode: 'slow', delay_ms: 1 });
    await sut.notify(session, appleJwt, { 'apns-collapse-id': 'sent-later' });
    await reader;
    abort.abort();

    expect(heard).toMatch(/event: snapshot\n.*data: \{"platforms".*"title":"Hello"/s);
    expect(heard).toMatch(/event: platforms\n.*"fcm":\{"mode":"slow","delay_ms":1\}/s);
    expect(heard).toMatch(/event: deliveries\n/);
  });
});
