import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { RawConnection } from '#test/raw-connection';
import { LARGE_BYTES, startThingApp, type ThingApp } from './edge-thing-app.fixture.js';

/** Headers that differ with each response. */
const OWN = { date: '', 'x-request-id': '', 'content-length': '' };

const signedIn = { Authorization: 'Basic in' };

describe('a deferred answer', () => {
  let app: ThingApp;

  beforeEach(async () => {
    app = await startThingApp({ sendStallMs: 500 });
  });

  afterEach(() => app.close());

  it('has the envelope and the headers of other answers', async () => {
    const other = await app.call('GET', '/things');
    const reply = await app.call('GET', '/waiting?unknown=1');
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
    const reply = await app.call('GET', `/waiting?outcome=${outcome}`);
    expect(reply).toMatchObject({ status, headers, body: { result: 'error', code } });
    expect(reply.headers['content-type']).toBe('application/json');
    expect(reply.text).not.toContain('secret');
  });

  it('has no body for HEAD', async () => {
    const reply = await app.call('HEAD', '/waiting');
    expect(reply).toMatchObject({ status: 200, text: '' });
    const { text } = await app.call('GET', '/waiting');
    expect(reply.headers['content-length']).toBe(String(text.length));
  });

  it('closes the connection while the server drains, also if the request came before', async () => {
    const late = app.call('GET', '/waiting');
    await delay(20);
    await app.drain();
    expect((await late).headers.connection).toBe('close');
  });

  it('ends with its client', async () => {
    (await RawConnection.open(app.port)).request('GET /api/v1/waiting', signedIn).end();
    await eventually(async () => expect(await app.connections()).toBe(0));
    await delay(100);
    expect(await app.call('GET', '/waiting')).toMatchObject({ status: 200 });
  });

  it('disconnects a client that does not read it', async () => {
    const connection = await RawConnection.open(app.port);
    connection.socket.pause();
    connection.request('GET /api/v1/waiting?outcome=large', signedIn);
    await delay(100);
    expect(await app.connections()).toBe(1);
    await eventually(async () => expect(await app.connections()).toBe(0));
    connection.socket.resume();
    await connection.closed();
    expect(connection.received.length).toBeLessThan(LARGE_BYTES);
  });
});
