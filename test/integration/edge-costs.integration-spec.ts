import { describe, expect, it } from '@jest/globals';
import { generateApiKey } from '#directory/auth';
import { basicAuthorization } from '#test/api-client';
import { countStatements } from '#test/count-statements';
import { sendRequest } from '#test/http-request';
import { RawConnection } from '#test/raw-connection';
import { useGateway } from '#test/start-gateway';

const REQUESTS = 300;
const LIMIT = 50;
const AT_ONCE = 10;

/** Sends many requests, some of them concurrently; resolves with the number of responses by status. */
async function statusesOf(ask: (index: number) => Promise<{ readonly status: number }>) {
  const counts: Record<number, number> = {};
  let next = 0;
  const askRepeatedly = async () => {
    while (next < REQUESTS) {
      next += 1;
      const { status } = await ask(next);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askRepeatedly));
  return counts;
}

/**
 * Expects that a limit was kept: below it, requests were answered with `status`. Calls are also counted in memory while
 * Redis answers late, as on a slow machine, so up to twice the limit may pass. Returns the number of these.
 */
function expectLimited(statuses: Readonly<Record<number, number>>, status: number): number {
  const passed = statuses[status] ?? 0;
  expect(statuses).toEqual({ [status]: passed, 429: REQUESTS - passed });
  expect(passed).toBeGreaterThanOrEqual(LIMIT);
  expect(passed).toBeLessThanOrEqual(2 * LIMIT);
  return passed;
}

describe('Refused requests', () => {
  const system = useGateway({
    // The window never ends during the test.
    RATE_LIMIT_ADDRESS: `86400:${LIMIT}`,
    RATE_LIMIT_FILE: `86400:${LIMIT}`,
    TRUSTED_PROXIES: '127.0.0.1',
  });

  /** Sends a request with a client address, which a trusted proxy reports. */
  const get = (path: string, address: string, headers: Record<string, string> = {}) =>
    sendRequest(`${system.gatewayUrl}${path}`, {
      headers: { 'x-forwarded-for': address, ...headers },
    });

  it('cost a statement for each wrong key below the limit, and for few beyond it', async () => {
    let statuses: Record<number, number> = {};
    const statements = await countStatements(async () => {
      statuses = await statusesOf(() => {
        const made = { email: 'nobody@chat.test', api_key: generateApiKey() };
        const authorization = basicAuthorization(made);
        return get('/api/v1/users/me/subscriptions', '192.0.2.1', { authorization });
      });
    });
    const passed = expectLimited(statuses, 401);
    // The limit, the requests in flight when it was reached, and twenty more.
    expect(statements).toBeLessThanOrEqual(passed + AT_ONCE + 20);
  });

  it('cost a statement for each picture below the limit of files, and none beyond it', async () => {
    const path = `/user_avatars/1/emoji/images/${'x'.repeat(22)}-1.png`;
    let statuses: Record<number, number> = {};
    const statements = await countStatements(async () => {
      statuses = await statusesOf(() => get(path, '192.0.2.2'));
    });
    expect(statements).toBeLessThanOrEqual(expectLimited(statuses, 404));
    const refused = await get(path, '192.0.2.2');
    expect(refused).toMatchObject({ headers: { 'x-ratelimit-limit': '50' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('cost one check of the stores per second for readiness', async () => {
    const began = performance.now();
    const statements = await countStatements(() => statusesOf(() => get('/health/ready', '::1')));
    const seconds = Math.ceil((performance.now() - began) / 1000);
    expect(statements).toBeLessThanOrEqual(seconds + 1);
  });

  it('share one limit in an IPv6 network', async () => {
    const statuses = await statusesOf((index) => get('/api/v1/streams', `2001:db8:1:1::${index}`));
    expectLimited(statuses, 401);
    expect((await get('/api/v1/streams', '2001:db8:1:2::1')).status).toBe(401);
  });

  it.each([
    ['username', 254],
    ['password', 1000],
  ])('include sign-ins with a %s over %i characters', async (name, limit) => {
    const fields = { username: 'a@chat.test', password: 'x', [name]: 'x'.repeat(limit + 1) };
    const reply = await system.anonymous().send('POST', '/fetch_api_key', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
    expect(reply).toMatchObject({
      status: 400,
      body: { msg: `${name} is too long (limit: ${limit} characters)` },
    });
  });

  it('close the connection of a resumable upload without a sign-in', async () => {
    const connection = await RawConnection.open(Number(new URL(system.gatewayUrl).port));
    connection.request('POST /api/v1/tus', {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': 1_000_000,
      'Content-Type': 'application/offset+octet-stream',
      'Content-Length': 1_000_000,
    });
    expect(await connection.status()).toBe(401);
    expect(connection.received).toContain('{"message":"Unauthenticated upload"}');
    await connection.closed();
  });

  it.each([
    ['POST', '/api/v1/messages', { 'content-type': ';' }],
    ['PUT', '/api/v1/streams', { 'content-type': ';' }],
    ['POST', '/health/live', { 'content-type': ';' }],
    ['POST', '/api/v1/tus', { 'content-type': ';' }],
    ['POST', '/calls/zoom/complete', { 'content-type': ';' }],
  ])('get an error envelope for an invalid header: %s %s', async (method, path, sent) => {
    const headers = { authorization: basicAuthorization(system.user('alice')), ...sent };
    const reply = await sendRequest(`${system.gatewayUrl}${path}`, {
      method,
      headers,
      body: 'x',
    });
    expect(reply.body).toMatchObject({ result: 'error', code: expect.any(String) });
  });

  it('exclude OPTIONS requests with an invalid header', async () => {
    const reply = await sendRequest(`${system.gatewayUrl}/api/v1/streams`, {
      method: 'OPTIONS',
      headers: { 'content-type': ';' },
      body: 'x',
    });
    expect([reply.status, reply.text]).toEqual([204, '']);
  });
});
