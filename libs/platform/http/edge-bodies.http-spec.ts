import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { RawConnection } from '#test/raw-connection';
import { useFixture } from '#test/use-fixture';
import {
  form,
  jsonBody,
  LARGE_BYTES,
  seenOnce,
  startEdgeTestApp,
} from './edge-test-app.fixture.js';

const MEGABYTE = 1_000_000;
const json = { 'Content-Type': 'application/json', 'Content-Length': MEGABYTE };
const signedIn = { ...json, Authorization: 'Basic in' };

const membersOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, '1']));

describe('limits of request bodies', () => {
  const app = useFixture(() => startEdgeTestApp());
  let connections: RawConnection[] = [];

  async function open(port = app.port): Promise<RawConnection> {
    const connection = await RawConnection.open(port);
    connections.push(connection);
    return connection;
  }

  afterEach(() => {
    for (const connection of connections) connection.end();
    connections = [];
  });

  describe('a rejected request', () => {
    it.each([
      ['without credentials', 'POST /api/v1/things', json, 401],
      ['with wrong ones', 'POST /api/v1/things', { ...json, Authorization: 'Basic out' }, 401],
      ['for its number', 'POST /api/v1/things', { ...json, Authorization: 'Basic often' }, 429],
      ['for its path', 'POST /api/v1/nowhere', signedIn, 404],
      ['for a path outside the API', 'POST /nowhere', signedIn, 404],
      ['for a broken path', 'POST /api/v1/things/%zz', signedIn, 400],
      ['for its method', 'PUT /api/v1/things', signedIn, 405],
      ['for POST as its method', 'POST /api/v1/things/7', json, 405],
      ['for the length of an anonymous body', 'POST /api/v1/open_things', json, 413],
    ])('is answered before its body arrives: %s', async (_why, line, headers, status) => {
      const connection = (await open()).request(line, headers);
      expect(await connection.status()).toBe(status);
      expect(connection.received).toMatch(/\{"result":"error",.*\}\n$/);
    });

    it('is answered before its body arrives: OPTIONS', async () => {
      const connection = (await open()).request('OPTIONS /api/v1/things', json);
      expect(await connection.status()).toBe(204);
    });

    it.each([
      ['/api/v1/things', 401],
      ['/api/v1/nowhere', 404],
      ['/api/v1/things/%zz', 400],
    ])('loses its connection when the body continues: %s', async (path, status) => {
      const connection = (await open()).request(`POST ${path}`, json).write('{"name":');
      expect(await connection.status()).toBe(status);
      await connection.closed();
    });

    it.each([
      ['/api/v1/things', 401],
      ['/api/v1/nowhere', 404],
      ['/api/v1/things/%zz', 400],
    ])('is not reset while its body arrives, with Connection: close: %s', async (path, status) => {
      const part = 'x'.repeat(100_000);
      const connection = await open();
      // Otherwise the socket ends with the response, and nothing of the body is sent after that.
      connection.socket.allowHalfOpen = true;
      const errors: Error[] = [];
      connection.socket.on('error', (error) => errors.push(error));
      connection.request(`POST ${path}`, {
        ...json,
        Connection: 'close',
        'Content-Length': 10 * part.length,
      });
      expect(await connection.status()).toBe(status);
      for (let sent = 0; sent < 10; sent += 1) {
        // A turn of the event loop between two parts, so that the connection would notice a reset.
        await new Promise((resolve) => connection.socket.write(part, () => setImmediate(resolve)));
      }
      connection.socket.end();
      await connection.closed();
      expect(errors).toEqual([]);
      expect(connection.received).toMatch(/\{"result":"error",.*\}\n$/);
    });

    it.each(['/api/v1/things', '/api/v1/nowhere', '/api/v1/things/%zz'])(
      'has one response, also when its body is broken: %s',
      async (path) => {
        const connection = await open();
        connection.request(`POST ${path}`, { 'Transfer-Encoding': 'chunked' }).write('zz\r\n');
        await connection.closed();
        expect(connection.received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      },
    );

    it.each(['zz\r\n', '5\r\nabc\r\n', ''])(
      'takes no memory from others once it has ended: %j',
      async (broken) => {
        // As much as all bodies together may take, and more.
        const requests = Array.from({ length: 300 }, async () => {
          const headers = { Authorization: 'Basic slow', 'Transfer-Encoding': 'chunked' };
          const connection = (await open()).request('POST /api/v1/things', headers, broken);
          if (broken !== 'zz\r\n') connection.end();
          await connection.closed();
        });
        await Promise.all(requests);
        // The server sees the ends of the connections later than the client.
        await eventually(async () => {
          expect((await app.call('POST', '/things', form({ name: 'n' }))).status).toBe(200);
        });
      },
    );

    it('is answered for any Expect header', async () => {
      const connection = (await open()).request('GET /plain', { Expect: 'the unexpected' });
      expect(await connection.status()).toBe(200);
    });

    it('keeps its connection when the body ends in time', async () => {
      const connection = (await open()).request('POST /api/v1/things', {
        ...json,
        'Content-Length': 2,
      });
      expect(await connection.status()).toBe(401);
      connection.write('{}').request('GET /plain', { Connection: 'close' });
      await connection.closed();
      expect(connection.received).toMatch(/HTTP\/1\.1 200 .*\{"isPlain":true\}$/s);
    });
  });

  it('leaves the next request of its connection alone when its body ends', async () => {
    const connection = (await open()).request('POST /api/v1/nowhere', { 'Content-Length': 2 });
    expect(await connection.status()).toBe(404);
    const statuses = () =>
      [...connection.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one);
    // The end of one body and the next request in one packet.
    connection.write(
      '{}POST /api/v1/nowhere HTTP/1.1\r\nHost: edge.test\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    await eventually(() => expect(statuses()).toEqual(['404', '404']));
    connection.write('zz\r\n');
    await connection.closed();
    expect(statuses()).toEqual(['404', '404']);
  });

  it('refuses a request whose sign-in ends before its body has arrived', async () => {
    const body = 'name=late';
    seenOnce.clear();
    const connection = (await open()).request(
      'POST /api/v1/things',
      {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': body.length,
        Authorization: 'Basic once',
      },
      'name',
    );
    await eventually(() => expect(seenOnce.has('Basic once')).toBe(true));
    connection.write('=late');
    expect(await connection.status()).toBe(401);
  });

  it('does not parse the body of a request with a failed sign-in', async () => {
    const reply = await app.send('/api/v1/things', { method: 'POST', ...jsonBody('{"name":') });
    expect(reply.status).toBe(401);
    const inTime = await app.call('POST', '/things', jsonBody('{"name":'));
    expect(inTime.status).toBe(400);
  });

  it('limits anonymous bodies to 16 KiB, and names the limit', async () => {
    const fitting = await app.call('POST', '/open_things', form({ name: 'x'.repeat(16_000) }));
    expect(fitting).toMatchObject({ status: 200, body: { name: 16_000 } });
    const refused = await app.call('POST', '/open_things', form({ name: 'x'.repeat(17_000) }));
    expect(refused).toMatchObject({
      status: 413,
      body: { code: 'BAD_REQUEST', msg: 'The request body is too large (limit: 16384 bytes).' },
    });
  });

  it('limits chunked anonymous bodies', async () => {
    const connection = (await open()).request('POST /api/v1/open_things', {
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    connection.write(`${(17_000).toString(16)}\r\n${'x'.repeat(17_000)}\r\n`);
    expect(await connection.status()).toBe(413);
  });

  describe('members', () => {
    const multipartOf = (count: number) => ({
      headers: { 'content-type': 'multipart/form-data; boundary=edge' },
      body: `${Object.keys(membersOf(count))
        .map((name) => `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`)
        .join('')}--edge--\r\n`,
    });

    it.each([
      ['JSON object', (count: number) => jsonBody(JSON.stringify(membersOf(count)))],
      ['form', (count: number) => form(membersOf(count))],
      ['multipart form', multipartOf],
    ])('of a %s are limited to a thousand', async (_kind, bodyOf) => {
      const fitting = await app.call('POST', '/things', bodyOf(1000));
      expect(fitting.status).toBe(200);
      expect(fitting.body['ignored_parameters_unsupported']).toHaveLength(1000);
      expect(await app.call('POST', '/things', bodyOf(1001))).toMatchObject({
        status: 413,
        body: {
          result: 'error',
          code: 'BAD_REQUEST',
          msg: 'The request has too many parameters (limit: 1000).',
        },
      });
    });

    it('of nested objects are limited too', async () => {
      const inside = JSON.stringify(membersOf(10_001));
      const whole = await app.call('POST', '/things', jsonBody(`{"tags":${inside}}`));
      expect(whole.status).toBe(413);
      const asText = await app.call('POST', '/things', form({ tags: inside }));
      expect(asText).toMatchObject({ status: 400, body: { msg: 'tags is too large' } });
    });
  });

  describe('with short timeouts', () => {
    const hasty = useFixture(() =>
      startEdgeTestApp({ bodyMs: 300, sendStallMs: 500, keepAliveMs: 400 }),
    );

    it.each([
      ['says nothing more', 0],
      ['drips', 50],
    ])('a body that %s is answered with 408 and disconnected', async (_how, everyMs) => {
      const connection = (await open(hasty.port)).request('POST /api/v1/things', signedIn);
      connection.write('{"name":"');
      const dripping =
        everyMs === 0 ? undefined : setInterval(() => connection.write('x'), everyMs);
      expect(await connection.status()).toBe(408);
      await connection.closed();
      clearInterval(dripping);
      expect(connection.received).toMatch(/"code":"REQUEST_TIMEOUT"\}\n$/);
      expect(connection.received).toMatch(/\r\nAccess-Control-Allow-Origin: \*\r\n/);
    });

    it('a client that does not close its side is disconnected too', async () => {
      const connection = (await open(hasty.port)).write('no HTTP\r\n\r\n');
      connection.socket.allowHalfOpen = true;
      expect(await connection.status()).toBe(400);
      // Its own side is still open: it notices by writing.
      const writing = setInterval(() => connection.write('more'), 20);
      await connection.closed();
      clearInterval(writing);
    });

    it('a client that does not read is disconnected', async () => {
      const connection = await open(hasty.port);
      connection.socket.pause();
      connection.request('GET /large');
      await eventually(async () => expect(await hasty.connections()).toBe(0));
      connection.socket.resume();
      await connection.closed();
      expect(connection.received.length).toBeLessThan(LARGE_BYTES);
    });

    it('a connection without a request is closed', async () => {
      const connection = (await open(hasty.port)).request('GET /plain');
      expect(await connection.status()).toBe(200);
      await connection.closed();
    });
  });
});
