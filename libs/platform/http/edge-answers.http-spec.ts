import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { badRequest, crossOrigin } from '#test/answers';
import type { OutgoingRequest } from '#test/http-request';
import { connectionEnd } from '#test/fake-server';
import { RawConnection } from '#test/raw-connection';
import { useFixture } from '#test/use-fixture';
import { form, startEdgeTestApp } from './edge-test-app.fixture.js';

describe('responses of the edge', () => {
  const app = useFixture(() => startEdgeTestApp());

  describe('authentication', () => {
    it('requires a sign-in', async () => {
      const reply = await app.send('/api/v1/things');
      expect(reply).toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Basic realm="zulip"' },
        body: { code: 'UNAUTHORIZED' },
      });
    });

    it('redirects a browser to the login page', async () => {
      const headers = { accept: 'text/html,application/xhtml+xml;q=0.9' };
      const reply = await app.send('/api/v1/things?name=x', { headers });
      expect(reply).toMatchObject({
        status: 302,
        headers: { location: '/login/?next=%2Fapi%2Fv1%2Fthings' },
      });
    });

    it('answers a browser with a wrong key with an error', async () => {
      const headers = { accept: 'text/html', authorization: 'Basic out' };
      const reply = await app.send('/api/v1/things', { headers });
      expect(reply).toMatchObject({ status: 401, body: { msg: 'Invalid API key' } });
    });

    it('sets the headers of the rate limit on every charged response', async () => {
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

  describe('errors', () => {
    it('answers an unknown path with 404', async () => {
      expect(await app.call('GET', '/nowhere')).toMatchObject({
        status: 404,
        body: { result: 'error', msg: 'Not found', code: 'NOT_FOUND' },
      });
    });

    it('answers a malformed path with 400', async () => {
      expect(await app.call('GET', '/things/%zz')).toMatchObject(badRequest('Malformed request'));
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

    it('does not show a defect in the response', async () => {
      const reply = await app.call('GET', '/failing');
      expect(reply.status).toBe(500);
      expect(reply.body).toEqual({
        result: 'error',
        msg: 'Internal server error',
        code: 'INTERNAL_SERVER_ERROR',
      });
    });

    it('answers an outage of a store with 503 and Retry-After', async () => {
      expect(await app.call('GET', '/failing?code=ECONNREFUSED')).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: { result: 'error', code: 'SERVICE_UNAVAILABLE' },
      });
    });

    const withHosts = async (path: string, version: string, hosts: readonly string[]) => {
      const connection = await RawConnection.open(app.port);
      const lines = [`GET /api/v1${path} ${version}`, 'Authorization: Basic in', ...hosts];
      connection.write([...lines, 'Connection: close', '', ''].join('\r\n'));
      await connection.closed();
      return connection.received;
    };
    const paths = ['/things', '/waiting_directly', '/nowhere'];

    it.each([
      ['HTTP/1.1', []],
      ['HTTP/1.1', ['Host: a', 'HOST: a']],
      ['HTTP/1.0', ['Host: a', 'Host: b']],
    ])('refuses a request of %s with the hosts %j', async (version, hosts) => {
      for (const path of paths) {
        const received = await withHosts(path, version, hosts);
        expect(received).toMatch(/^HTTP\/1\.1 400 /);
        expect(received).toMatch(/\r\nx-request-id: /i);
        expect(received).toMatch(
          /\r\n\r\n\{"result":"error","msg":"Malformed request","code":"BAD_REQUEST"\}\n$/,
        );
      }
    });

    it.each([
      ['HTTP/1.1', ['host: a']],
      ['HTTP/1.0', []],
    ])('answers a request of %s with the hosts %j', async (version, hosts) => {
      expect(await withHosts('/things', version, hosts)).toMatch(/^HTTP\/1\.1 200 /);
      expect(await withHosts('/waiting_directly', version, hosts)).toMatch(/^HTTP\/1\.1 200 /);
    });

    it('answers bytes that are not HTTP', async () => {
      const socket = connect(app.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.write('this is not HTTP\r\n\r\n');
      await connectionEnd(socket);
      const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1\.1 400 /);
      expect(head).toContain('Cache-Control: max-age=0, no-cache');
      expect(head).toContain('Access-Control-Allow-Origin: *');
      expect(JSON.parse(body)).toMatchObject({ result: 'error', msg: 'Malformed request' });
    });
  });

  describe('every response', () => {
    const cases: [string, string, OutgoingRequest][] = [
      ['success', 'GET', {}],
      ['a route that returns nothing', 'PATCH', {}],
      ['a refused parameter', 'POST', form({ tags: 'x' })],
      ['405', 'PUT', {}],
      ['413', 'POST', { headers: { 'content-type': 'a/b' }, body: 'x'.repeat(1_048_577) }],
      ['429', 'POST', { headers: { authorization: 'Basic often' } }],
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
    ])('is JSON, ends with a newline and forbids caching: $name', async (one) => {
      const reply = await app.call(one.method, one.path, {
        ...one.options,
        headers: { ...one.options.headers, 'x-request-id': 'from-the-proxy.1' },
      });
      expect(reply.headers).toMatchObject({
        'content-type': 'application/json',
        'cache-control': 'max-age=0, no-cache, no-store, must-revalidate, private',
        'x-request-id': 'from-the-proxy.1',
        ...crossOrigin,
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

  describe('pages of other origins', () => {
    it('may send every request that the preflight request asks for', async () => {
      const reply = await app.send('/api/v1/things', {
        method: 'OPTIONS',
        headers: {
          origin: 'https://page.test',
          'access-control-request-method': 'PATCH',
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      expect(reply).toMatchObject({ status: 204, text: '', headers: crossOrigin });
    });

    it('may read the error of an unknown path', async () => {
      const preflight = await app.send('/api/v1/nowhere', { method: 'OPTIONS' });
      expect(preflight).toMatchObject({ status: 204, text: '', headers: crossOrigin });
      expect(await app.send('/nowhere', { method: 'OPTIONS' })).toMatchObject({ status: 404 });
    });

    it('may read the redirection of a browser', async () => {
      const reply = await app.send('/api/v1/things', { headers: { accept: 'text/html' } });
      expect(reply).toMatchObject({ status: 302, headers: crossOrigin });
    });

    it.each(['/%61pi/v1/things', '/api/v1/%74hings'])(
      'may read the answer to another spelling of a path: %s',
      async (path) => {
        const reply = await app.send(path, { headers: { authorization: 'Basic in' } });
        expect(reply).toMatchObject({ status: 200, headers: crossOrigin });
      },
    );

    it.each(['/plain', '/nowhere', '/api/v10/things', '/%zz'])(
      'may read nothing outside the API: %s',
      async (path) => {
        const { headers } = await app.send(path);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual(
          [],
        );
      },
    );
  });

  it('does not change routes without a declaration', async () => {
    const reply = await app.send('/plain');
    expect(reply).toMatchObject({ status: 200, body: { isPlain: true } });
    expect(reply.headers['content-type']).toMatch(/^application\/json/);
  });
});
