import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApiKey } from '#auth';
import { basicAuthorization } from '../support/api-client.js';
import { countStatements } from '../support/count-statements.js';
import { sendRequest } from '../support/http-request.js';
import { RawConnection } from '../support/raw-connection.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

const REQUESTS = 300;
const AT_ONCE = 10;

/** The statuses of many requests, some at once, and how often each came. */
async function statusesOf(ask: (index: number) => Promise<{ readonly status: number }>) {
  const counts: Record<number, number> = {};
  let next = 0;
  const askOnAndOn = async () => {
    while (next < REQUESTS) {
      next += 1;
      const { status } = await ask(next);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askOnAndOn));
  return counts;
}

describe('what requests that are refused may cost', () => {
  let system: System;

  beforeAll(async () => {
    system = await startGateway({
      RATE_LIMIT_ADDRESS: '600:50',
      RATE_LIMIT_FILE: '600:50',
      TRUSTED_PROXIES: '127.0.0.1',
    });
  }, 30_000);
  afterAll(() => system.stop());

  /** Requests from an address that a trusted proxy names. */
  const get = (path: string, address: string, headers: Record<string, string> = {}) =>
    sendRequest(`${system.gatewayUrl}${path}`, {
      headers: { 'x-forwarded-for': address, ...headers },
    });

  it('a statement for each of the first wrong keys, and for few of the others', async () => {
    let statuses: Record<number, number> = {};
    const statements = await countStatements(async () => {
      statuses = await statusesOf(() => {
        const made = { email: 'nobody@chat.test', api_key: generateApiKey() };
        const authorization = basicAuthorization(made);
        return get('/api/v1/users/me/subscriptions', '192.0.2.1', { authorization });
      });
    });
    expect(statuses).toEqual({ 401: 50, 429: REQUESTS - 50 });
    // The limit, what was under way when it was reached, and twenty beyond it.
    expect(statements).toBeLessThanOrEqual(50 + AT_ONCE + 20);
  });

  it('a statement for each picture within the limit of files, and none beyond it', async () => {
    const path = `/user_avatars/1/emoji/images/${'x'.repeat(22)}-1.png`;
    let statuses: Record<number, number> = {};
    const statements = await countStatements(async () => {
      statuses = await statusesOf(() => get(path, '192.0.2.2'));
    });
    expect(statuses).toEqual({ 404: 50, 429: REQUESTS - 50 });
    expect(statements).toBeLessThanOrEqual(50);
    const refused = await get(path, '192.0.2.2');
    expect(refused).toMatchObject({ headers: { 'x-ratelimit-limit': '50' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('one check of the stores in a second for readiness', async () => {
    const began = performance.now();
    const statements = await countStatements(() => statusesOf(() => get('/health/ready', '::1')));
    const seconds = Math.ceil((performance.now() - began) / 1000);
    expect(statements).toBeLessThanOrEqual(seconds + 1);
  });

  it('an IPv6 network one limit', async () => {
    const statuses = await statusesOf((index) => get('/api/v1/streams', `2001:db8:1:1::${index}`));
    expect(statuses).toEqual({ 401: 50, 429: REQUESTS - 50 });
    expect((await get('/api/v1/streams', '2001:db8:1:2::1')).status).toBe(401);
  });

  it.each([
    ['username', 254],
    ['password', 1000],
  ])('a %s no more than %i characters', async (name, limit) => {
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

  it('the connection of a resumable upload that is not let in', async () => {
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
  ])(
    'answers %s %s with a header that cannot be read in the envelope',
    async (method, path, sent) => {
      const headers = { authorization: basicAuthorization(system.user('alice')), ...sent };
      const reply = await sendRequest(`${system.gatewayUrl}${path}`, {
        method,
        headers,
        body: 'x',
      });
      expect(reply.body).toMatchObject({ result: 'error', code: expect.any(String) });
    },
  );

  it('answers OPTIONS with a header that cannot be read', async () => {
    const reply = await sendRequest(`${system.gatewayUrl}/api/v1/streams`, {
      method: 'OPTIONS',
      headers: { 'content-type': ';' },
      body: 'x',
    });
    expect([reply.status, reply.text]).toEqual([204, '']);
  });
});
