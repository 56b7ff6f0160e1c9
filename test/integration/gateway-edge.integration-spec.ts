import { hash } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { sendRequest } from '#test/http-request';
import { RawConnection } from '#test/raw-connection';
import { useSystem } from '#test/use-system';

// This file tests the default rate limits.
const system = useSystem({ programs: ['api-gateway'] });

const presence = '/users/me/presence';
/** Sends a request id and resolves with the id of the response. */
async function idFor(given: string): Promise<unknown> {
  const headers = { 'x-request-id': given };
  return (await system.anonymous().send('GET', '/x', { headers })).headers['x-request-id'];
}

const device = '/users/me/apns_device_token';

describe('Every response', () => {
  const answers = {
    success: () => system.api('alice').post(presence, { status: 'active' }),
    'wrong parameter': () => system.api('alice').post(presence, { status: 'x' }),
    'no sign-in': () => system.anonymous().post(presence),
    'wrong method': () => system.api('alice').get(presence),
    'unknown path': () => system.anonymous().get('/nothing/here'),
  };

  it.each(Object.entries(answers))('has a unique id: %s', async (_, ask) => {
    const ids = [await ask(), await ask()].map(({ headers }) => headers['x-request-id']);
    expect(ids[0]).toMatch(/^[\w.-]+$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  it('keeps the id that a proxy has set, unless it is unsafe to log', async () => {
    expect(await idFor('abc-123')).toBe('abc-123');
    expect(await idFor('abc 123')).not.toBe('abc 123');
    expect(await idFor('x'.repeat(200))).not.toBe('x'.repeat(200));
  });
});

describe('A path', () => {
  it.each(['/nothing/here', '/users/me/shoes', '/users/me/presence/', '//users/me/presence'])(
    'returns 404 if it is unknown: %s',
    async (path) => {
      const reply = await system.api('alice').post(path, { status: 'active' });
      expect(reply.status).toBe(404);
      expect(reply.body).toEqual({ result: 'error', msg: 'Not found', code: 'NOT_FOUND' });
    },
  );

  it('returns the same 404 outside the API', async () => {
    const reply = await sendRequest(`${system.gatewayUrl}/nothing`);
    expect(reply).toMatchObject({ status: 404, body: { result: 'error', code: 'NOT_FOUND' } });
  });

  it('answers HEAD with the status only', async () => {
    const reply = await system.anonymous().send('HEAD', presence);
    expect(reply.status).toBe(405);
    expect(reply.text).toBe('');
    expect((await sendRequest(`${system.gatewayUrl}/health/live`, { method: 'HEAD' })).status).toBe(
      200,
    );
  });

  it.each([
    [presence, ['POST']],
    ['/users/1/presence', ['GET', 'HEAD']],
    ['/realm/presence', ['GET', 'HEAD']],
    [device, ['DELETE', 'POST']],
  ])('lists its methods for OPTIONS without a sign-in: %s', async (path, methods) => {
    const reply = await system.anonymous().send('OPTIONS', path);
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    const allowed = reply.headers.allow?.split(', ').filter((method) => method !== 'OPTIONS');
    expect(allowed).toEqual(methods);
  });
});

describe('A busy gateway', () => {
  /** More than the 511 of Node, and fewer than one address may have. */
  const CLIENTS = 900;

  it('lets all clients that connect at once wait for it', async () => {
    const { port } = new URL(system.gatewayUrl);
    const pid = system.pidOf('api-gateway');
    const connected: RawConnection[] = [];
    process.kill(pid, 'SIGSTOP');
    try {
      for (let client = 0; client < CLIENTS; client += 1) {
        void RawConnection.open(Number(port)).then((connection) => connected.push(connection));
      }
      await eventually(() => expect(connected).toHaveLength(CLIENTS));
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const last = connected.at(-1)?.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await eventually(() => expect(last?.received).toContain('200 OK'));
    for (const { socket } of connected) socket.destroy();
  });
});

describe('A request with a large body', () => {
  it('gets 413 if it is multipart', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const body = `--b\r\nContent-Disposition: form-data; name="status"\r\n\r\n${'x'.repeat(2_000_000)}\r\n--b--\r\n`;
    const reply = await system.api('alice').send('POST', presence, { headers, body });
    expect(reply).toMatchObject({ status: 413, body: { result: 'error' } });
  });

  it('does not prevent the next request of the client', async () => {
    const reply = await system.api('alice').post(presence, { status: 'active' });
    expect(reply.status).toBe(200);
  });
});

describe('The rate limit', () => {
  let limited: string;

  beforeAll(async () => {
    limited = await system.startGateway({ RATE_LIMIT_USER: '61:3', RATE_LIMIT_ADDRESS: '63:2' });
  });

  it('is in the headers of every response to an account', async () => {
    const first = await system.api('bob').post(presence, { status: 'active' });
    const second = await system.api('bob').post(presence, { status: 'nonsense' });
    expect(first.headers['x-ratelimit-limit']).toBe('200');
    const remaining = [first, second].map(({ headers }) =>
      Number(headers['x-ratelimit-remaining']),
    );
    expect(remaining[1]).toBe((remaining[0] ?? 0) - 1);
    const resetsAt = Number(first.headers['x-ratelimit-reset']);
    expect(Number.isInteger(resetsAt)).toBe(true);
    expect(Math.abs(resetsAt - Date.now() / 1000)).toBeLessThan(65);
  });

  it('refuses excess calls of an account with Retry-After', async () => {
    const call = () => system.api('moderator', limited).post(presence, { status: 'active' });
    for (let calls = 1; calls <= 3; calls += 1) expect((await call()).status).toBe(200);
    const refused = await call();
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      result: 'error',
      msg: 'API usage exceeded rate limit',
      code: 'RATE_LIMIT_HIT',
    });
    expect(refused.headers['x-ratelimit-remaining']).toBe('0');
    expect(refused.body['retry-after']).toBe(Number(refused.headers['retry-after']));
    expect(refused.body['retry-after']).toBeGreaterThan(0);
    expect(refused.body['retry-after']).toBeLessThanOrEqual(61);
    const other = await system.api('owner', limited).post(presence, { status: 'active' });
    expect(other.status).toBe(200);
  });

  it('counts calls without a sign-in by address', async () => {
    const statuses: number[] = [];
    for (let calls = 1; calls <= 3; calls += 1) {
      statuses.push((await system.anonymous(limited).post(presence)).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    const signedIn = await system.api('carol', limited).post(presence, { status: 'active' });
    expect(signedIn.status).toBe(200);
  });
});

describe('The gateway also serves', () => {
  it('an OpenAPI document of every endpoint', async () => {
    const reply = await system.anonymous().get('/openapi.json');
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ openapi: expect.stringMatching(/^3\./) });
    const paths = reply.body['paths'] ?? {};
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        presence,
        device,
        '/users/me/android_gcm_reg_id',
        '/mobile_push/test_notification',
        '/users/me/api_key/regenerate',
        '/fetch_api_key',
      ]),
    );
  });

  it('a documentation page without files of other hosts', async () => {
    const page = await sendRequest(`${system.gatewayUrl}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      expect(link).toMatch(/^\/(?!\/)/);
      expect((await sendRequest(system.gatewayUrl + link)).status).toBe(200);
    }
  });

  it('that page with a policy that allows only its own script and no frames', async () => {
    const { headers, text } = await sendRequest(`${system.gatewayUrl}/docs`);
    const [, script = ''] = /<script>(.*?)<\/script>/s.exec(text) ?? [];
    expect(script).toContain('SwaggerUIBundle(');
    const policy = headers['content-security-policy'];
    expect(policy).toContain(`script-src 'self' 'sha256-${hash('sha256', script, 'base64')}';`);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(script).toContain('prefers-color-scheme: dark');
  });

  it.each(['live', 'ready'])('its health checks: %s', async (which) => {
    const reply = await sendRequest(`${system.gatewayUrl}/health/${which}`);
    expect(reply).toMatchObject({ status: 200, body: { status: 'ok' } });
  });
});
