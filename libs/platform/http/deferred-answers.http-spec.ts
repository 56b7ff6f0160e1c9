import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { RawConnection } from '#test/raw-connection';
import { LARGE_BYTES, startThingApp, type ThingApp } from './edge-thing-app.fixture.js';

/** Headers that differ with each response. */
const OWN = { date: '', 'x-request-id': '', 'content-length': '' };

const signedIn = { Authorization: 'Basic in' };

describe.each([
  ['/waiting', '/things'],
  // Without a query the framework answers.
  ['/waiting_directly', '/waiting_directly'],
])('a deferred answer of %s', (path, usual) => {
  let app: ThingApp;

  beforeEach(async () => {
    app = await startThingApp({ sendStallMs: 500 });
  });

  afterEach(() => app.close());

  it('has the envelope and the headers of other answers', async () => {
    const other = await app.call('GET', usual);
    const reply = await app.call('GET', `${path}?unknown=1`);
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['unknown'],
      text: 'late',
    });
    expect({ ...reply.headers, ...OWN }).toEqual({ ...other.headers, ...OWN });
  });

  it.each([
    ['often', 429, 'RATE_LIMIT_HIT', { 'retry-after': '0.5' }],
    ['signed-out', 401, 'UNAUTHORIZED', { 'www-authenticate': 'Basic realm="zulip"' }],
    ['failed', 500, 'INTERNAL_SERVER_ERROR', {}],
    ['no-json', 500, 'INTERNAL_SERVER_ERROR', {}],
  ])('may be an error: %s', async (outcome, status, code, headers) => {
    const reply = await app.call('GET', `${path}?outcome=${outcome}`);
    expect(reply).toMatchObject({ status, headers, body: { result: 'error', code } });
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.text).not.toContain('secret');
  });

  it('has no body for HEAD', async () => {
    const reply = await app.call('HEAD', `${path}?outcome=late`);
    expect(reply).toMatchObject({ status: 200, text: '' });
    const { text } = await app.call('GET', `${path}?outcome=late`);
    expect(reply.headers['content-length']).toBe(String(text.length));
  });

  it('closes the connection while the server drains, also if the request came before', async () => {
    const late = app.call('GET', `${path}?outcome=late`);
    await delay(20);
    await app.drain();
    expect((await late).headers.connection).toBe('close');
  });

  it('ends with its client', async () => {
    const connection = await RawConnection.open(app.port);
    connection.request(`GET /api/v1${path}?outcome=late`, signedIn).end();
    await eventually(async () => expect(await app.connections()).toBe(0));
    await delay(100);
    expect(await app.call('GET', path)).toMatchObject({ status: 200 });
  });

  it('disconnects a client that does not read it', async () => {
    const connection = await RawConnection.open(app.port);
    connection.socket.pause();
    connection.request(`GET /api/v1${path}?outcome=large`, signedIn);
    await delay(100);
    expect(await app.connections()).toBe(1);
    await eventually(async () => expect(await app.connections()).toBe(0));
    connection.socket.resume();
    await connection.closed();
    expect(connection.received.length).toBeLessThan(LARGE_BYTES);
  });
});

describe('a direct route', () => {
  let app: ThingApp;

  beforeEach(async () => {
    app = await startThingApp();
  });

  afterEach(() => app.close());

  it('reports the requests that it answered, and those whose client has left', async () => {
    await app.call('GET', '/waiting_directly?outcome=late&client=test');
    await app.call('GET', '/waiting_directly?outcome=often');
    const connection = await RawConnection.open(app.port);
    connection.request('GET /api/v1/waiting_directly?outcome=late', signedIn).end();
    await eventually(async () => expect(app.ended).toHaveLength(3));
    const route = '/api/v1/waiting_directly';
    expect(app.ended).toMatchObject([
      { method: 'GET', route, status: 200 },
      { method: 'GET', route, status: 429 },
      { method: 'GET', route },
    ]);
    expect(app.ended[0]?.seconds).toBeGreaterThan(0.03);
  });

  const slow = { headers: { authorization: 'Basic slow' } };
  const old = { headers: { authorization: 'Basic old' } };
  it.each([
    ['another method', 'HEAD', '?outcome=late', {}, 200],
    ['no query', 'GET', '', {}, 200],
    ['encoded letters', 'GET', '?outcome=%6cate', {}, 200],
    ['an invalid parameter', 'GET', '?count=one', {}, 400],
    ['a sign-in that has to be looked up', 'GET', '?outcome=late', slow, 200],
    ['a known sign-in that is no longer valid', 'GET', '?outcome=late', old, 401],
    ['a body', 'GET', '?outcome=late', { headers: { 'content-length': '2' }, body: '{}' }, 200],
  ])('leaves a request with %s to the framework', async (_case, method, query, options, status) => {
    const reply = await app.call(method, `/waiting_directly${query}`, options);
    expect(reply).toMatchObject({ status });
    expect(app.ended).toEqual([]);
  });

  it('keeps the order of pipelined requests', async () => {
    const connection = await RawConnection.open(app.port);
    connection.request('GET /api/v1/waiting_directly?outcome=late', signedIn);
    connection.request('GET /api/v1/things?name=next', signedIn);
    await eventually(async () => expect(connection.received).toContain('next'));
    connection.socket.destroy();
    expect(connection.received.slice(0, connection.received.indexOf('next'))).toContain('late');
  });

  it('takes the last of repeated parameters', async () => {
    const { status } = await app.call('GET', '/waiting_directly?outcome=often&outcome=late');
    expect(status).toBe(200);
    expect(app.ended).toMatchObject([{ status: 200 }]);
  });
});
