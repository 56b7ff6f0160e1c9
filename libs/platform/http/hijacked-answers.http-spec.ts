import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { RawConnection } from '#test/raw-connection';
import {
  form,
  jsonBody,
  LARGE_BYTES,
  startEdgeTestApp,
  type EdgeTestApp,
} from './edge-test-app.fixture.js';

/** Headers that differ with each response. */
const OWN = { date: '', 'x-request-id': '', 'content-length': '' };

const signedIn = { Authorization: 'Basic in' };

describe.each([
  ['/waiting', '/things'],
  // Without a query the framework answers.
  ['/waiting_directly', '/waiting_directly'],
])('a hijacked answer of %s', (path, usual) => {
  let app: EdgeTestApp;

  beforeEach(async () => {
    app = await startEdgeTestApp({ sendStallMs: 500 });
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
  let app: EdgeTestApp;

  beforeEach(async () => {
    app = await startEdgeTestApp();
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
  it.each([
    ['another method', 'HEAD', '?outcome=late', {}, 200],
    ['no query', 'GET', '', {}, 200],
    ['encoded letters', 'GET', '?outcome=%6cate', {}, 200],
    ['an invalid parameter', 'GET', '?count=one', {}, 400],
    ['a sign-in that has to be looked up', 'GET', '?outcome=late', slow, 200],
    ['an outcome that the direct route does not know', 'GET', '?outcome=unknown', {}, 200],
    ['a body', 'GET', '?outcome=late', { headers: { 'content-length': '2' }, body: '{}' }, 200],
  ])('leaves a request with %s to the framework', async (_case, method, query, options, status) => {
    const reply = await app.call(method, `/waiting_directly${query}`, options);
    expect(reply).toMatchObject({ status });
    expect(app.ended).toEqual([]);
  });

  it('charges a request that it does not take to the limit of its account', async () => {
    const refused = await app.call('GET', '/waiting_directly?count=one');
    expect(refused.headers['x-ratelimit-limit']).toBe('200');
    const taken = await app.call('GET', '/waiting_directly?outcome=late');
    expect(taken.headers['x-ratelimit-limit']).toBeUndefined();
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

describe('a direct route for forms', () => {
  let app: EdgeTestApp;

  beforeEach(async () => {
    app = await startEdgeTestApp({ bodyMs: 300 });
  });

  afterEach(() => app.close());

  const path = '/things_directly';

  it.each([
    ['a form', form('name=a.b&other='), { ignored_parameters_unsupported: ['other'] }],
    ['no form', {}, { result: 'success' }],
  ])('gives a request with %s the answer of the framework', async (_case, options, body) => {
    const direct = await app.call('POST', path, options);
    const route = `/api/v1${path}`;
    await eventually(async () =>
      expect(app.ended).toMatchObject([{ method: 'POST', route, status: 200 }]),
    );
    const other = await app.call('POST', `${path}?client=test`, options);
    expect(app.ended).toHaveLength(1);
    expect(direct.body).toMatchObject(body);
    expect(direct.text).toBe(other.text);
    expect({ ...direct.headers, ...OWN }).toEqual({ ...other.headers, ...OWN });
  });

  const typed = (type: string, body: string) => ({ headers: { 'content-type': type }, body });
  const signedInBy = (authorization: string) => ({
    body: 'name=a',
    headers: { ...form('name=a').headers, authorization },
  });
  it.each([
    ['encoded letters', '', form('name=%61'), 200],
    ['an invalid parameter', '', form('tags=no'), 400],
    ['a query', '?name=a', form('name=a'), 200],
    ['another method in its form', '', form('method=DELETE'), 405],
    ['JSON', '', jsonBody('{"name":"a"}'), 200],
    ['another type', '', typed('text/plain', 'name=a'), 415],
    ['a long form', '', form(`name=${'a'.repeat(600)}`), 200],
    ['a sign-in that has to be looked up', '', signedInBy('Basic slow'), 200],
  ])('leaves a request with %s to the framework', async (_case, query, options, status) => {
    const reply = await app.call('POST', `${path}${query}`, options);
    expect(reply).toMatchObject({ status });
    expect(app.ended).toEqual([]);
    // The next request on the connection.
    expect(await app.call('POST', path, form('name=a'))).toMatchObject({ status: 200 });
  });

  const post = `POST /api/v1${path}`;
  const formHeaders = { ...signedIn, 'Content-Type': 'application/x-www-form-urlencoded' };

  it('leaves a form that arrives after its headers to the framework, with its time limit', async () => {
    const headers = { ...formHeaders, 'Content-Length': 6 };
    const late = await RawConnection.open(app.port);
    late.request(post, headers, 'nam');
    await delay(50);
    late.write('e=a');
    expect(await late.status()).toBe(200);
    expect(late.received).toContain('"name":"a"');
    late.end();
    const stalled = await RawConnection.open(app.port);
    expect(await stalled.request(post, headers, 'nam').status()).toBe(408);
    expect(app.ended).toEqual([]);
  });

  it('answers several requests of one connection in their order', async () => {
    const connection = await RawConnection.open(app.port);
    const bodies = ['name=one', 'name=two', 'name=%74hree', 'name=four'];
    for (const body of bodies)
      connection.request(post, { ...formHeaders, 'Content-Length': body.length }, body);
    await eventually(async () => expect(connection.received).toContain('"name":"four"'));
    connection.end();
    const names = [...connection.received.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name);
    expect(names).toEqual(['one', 'two', 'three', 'four']);
    await eventually(async () => expect(app.ended).toHaveLength(3));
  });
});
