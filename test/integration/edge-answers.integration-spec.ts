import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OutgoingRequest } from '../support/http-request.js';
import { form, startThingApp, type ThingApp } from './edge.thing-app.js';

describe('answers of the edge', () => {
  let app: ThingApp;

  beforeAll(async () => {
    app = await startThingApp();
  });

  afterAll(() => app.close());

  describe('who may', () => {
    it('asks for a sign-in', async () => {
      const reply = await app.send('/api/v1/things');
      expect(reply).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="zulip"' },
        body: { code: 'UNAUTHORIZED' },
      });
    });

    it('shows a browser the way to sign in', async () => {
      const headers = { accept: 'text/html,application/xhtml+xml;q=0.9' };
      const reply = await app.send('/api/v1/things?name=x', { headers });
      expect(reply).toMatchObject({
        status: 302,
        headers: { location: '/login/?next=%2Fapi%2Fv1%2Fthings' },
      });
    });

    it('tells a browser with a wrong key so', async () => {
      const headers = { accept: 'text/html', authorization: 'Basic out' };
      const reply = await app.send('/api/v1/things', { headers });
      expect(reply).toMatchObject({ status: 401, body: { msg: 'Invalid API key' } });
    });

    it('shows the rate limit on every answer that was charged', async () => {
      const shown = {
        'x-ratelimit-limit': '200',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '1800000000',
      };
      expect((await app.call('GET', '/things')).headers).toMatchObject(shown);
      expect((await app.call('GET', '/things?tags=x')).headers).toMatchObject(shown);
      const reply = await app.send('/api/v1/things', { headers: { authorization: 'Basic often' } });
      expect(reply).toMatchObject({
        status: 429,
        headers: { ...shown, 'retry-after': '0.5' },
        body: { code: 'RATE_LIMIT_HIT', 'retry-after': 0.5 },
      });
    });
  });

  describe('what goes wrong', () => {
    it('answers an unknown path', async () => {
      expect(await app.call('GET', '/nowhere')).toMatchObject({
        status: 404,
        body: { result: 'error', msg: 'Not found', code: 'NOT_FOUND' },
      });
    });

    it('answers a broken path', async () => {
      expect(await app.call('GET', '/things/%zz')).toMatchObject({
        status: 400,
        body: { result: 'error', msg: 'Malformed request', code: 'BAD_REQUEST' },
      });
    });

    it.each(['application/x-www-form-urlencoded', 'application/json', 'text/plain'])(
      'refuses a body of %s that is too large',
      async (type) => {
        const body = 'x'.repeat(1_048_577);
        expect(
          await app.call('POST', '/things', { headers: { 'content-type': type }, body }),
        ).toMatchObject({
          status: 413,
          body: { code: 'BAD_REQUEST', msg: expect.stringContaining('1048576 bytes') },
        });
      },
    );

    it('tells nobody about a defect of ours', async () => {
      const reply = await app.call('GET', '/failing');
      expect(reply.status).toBe(500);
      expect(reply.body).toEqual({
        result: 'error',
        msg: 'Internal server error',
        code: 'INTERNAL_SERVER_ERROR',
      });
    });

    it('asks to try again when a store is away', async () => {
      expect(await app.call('GET', '/failing?code=ECONNREFUSED')).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { result: 'error', code: 'SERVICE_UNAVAILABLE' },
      });
    });

    it('answers what is not HTTP', async () => {
      const socket = connect(app.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.write('this is not HTTP\r\n\r\n');
      await once(socket, 'close');
      const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(head).toContain('Cache-Control: max-age=0, no-cache');
      expect(JSON.parse(body)).toMatchObject({ result: 'error', msg: 'Malformed request' });
    });
  });

  describe('every answer', () => {
    const cases: [string, string, OutgoingRequest][] = [
      ['success', 'GET', {}],
      ['a route that returns nothing', 'PATCH', {}],
      ['a refused parameter', 'POST', form({ tags: 'x' })],
      ['405', 'PUT', {}],
      ['413', 'POST', { headers: { 'content-type': 'a/b' }, body: 'x'.repeat(1_048_577) }],
    ];
    const paths: [string, string, OutgoingRequest][] = [
      ['404', '/nowhere', {}],
      ['401', '/things', { headers: { authorization: 'none' } }],
      ['a broken path', '/things/%zz', {}],
      ['500', '/failing', {}],
    ];

    it.each([
      ...cases.map(([name, method, options]) => ({ name, method, path: '/things', options })),
      ...paths.map(([name, path, options]) => ({ name, method: 'GET', path, options })),
    ])('is JSON that ends with a newline and is never kept: $name', async (one) => {
      const reply = await app.call(one.method, one.path, {
        ...one.options,
        headers: { ...one.options.headers, 'x-request-id': 'from-the-proxy.1' },
      });
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
        'x-request-id': 'from-the-proxy.1',
      });
      expect(new Date(reply.headers.expires ?? '').getTime()).toBeLessThanOrEqual(Date.now());
      expect(reply.text).toMatch(/^\{"result":"(success|error)".*\}\n$/);
    });

    it.each(['', 'line break', 'x'.repeat(129)])(
      'has a request id of its own instead of "%s"',
      async (given) => {
        const reply = await app.call('GET', '/things', { headers: { 'x-request-id': given } });
        expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      },
    );
  });

  it('leaves routes alone that declare no endpoint', async () => {
    const reply = await app.send('/plain');
    expect(reply).toMatchObject({ status: 200, body: { isPlain: true } });
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
  });
});
