import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '#test/eventually';
import { RawConnection } from '#test/raw-connection';
import { requestLog } from '#platform/http';
import { form, startEdgeTestApp, type EdgeTestApp } from './edge-test-app.fixture.js';

const things = '/api/v1/things';

describe(requestLog.name, () => {
  let app: EdgeTestApp;
  let written: unknown[];

  const start = async (logged: 'failed' | 'all') => {
    app = await startEdgeTestApp({ bodyMs: 200 }, [requestLog(logged)]);
  };
  /** The entries, once there are so many. */
  const entries = (count: number) =>
    eventually(() => {
      expect(written).toHaveLength(count);
      return written;
    });

  beforeEach(() => {
    written = [];
    jest.spyOn(Logger.prototype, 'log').mockImplementation((entry: unknown) => {
      // The framework writes texts.
      if (typeof entry === 'object') written.push(entry);
    });
  });
  afterEach(async () => {
    await app.close();
    jest.restoreAllMocks();
  });

  it('has the route, the status, the time, the request id and the account', async () => {
    await start('all');
    await app.call('GET', '/things?name=x', { headers: { 'x-request-id': 'abc-1' } });
    expect(await entries(1)).toEqual([
      {
        message: `GET ${things} 200`,
        method: 'GET',
        route: things,
        status: 200,
        duration_ms: expect.any(Number),
        request_id: 'abc-1',
        user_id: 1,
      },
    ]);
  });

  it.each([
    ['a direct route', 'GET', '/waiting_directly?outcome=late', 200],
    ['a direct route that fails', 'GET', '/waiting_directly?outcome=often', 429],
    ['a hijacked answer', 'GET', '/waiting?outcome=late', 200],
    ['a pattern', 'DELETE', '/things/7', 200],
    ['a defect', 'GET', '/failing', 500],
  ])('has %s', async (_case, method, path, status) => {
    await start('all');
    await app.call(method, path);
    const [pattern = ''] = path.replace(/7$/, ':thing_id').split('?');
    const route = `/api/v1${pattern}`;
    expect(await entries(1)).toMatchObject([{ method, route, status, user_id: 1 }]);
  });

  it('has requests that no route answers', async () => {
    await start('all');
    await app.call('GET', '/nowhere');
    await app.call('GET', '/things/%zz');
    expect(await entries(2)).toMatchObject([
      { route: 'none', status: 404, request_id: expect.any(String) },
      { route: 'none', status: 400, request_id: expect.any(String) },
    ]);
  });

  it('has bytes that are no request', async () => {
    await start('all');
    const connection = await RawConnection.open(app.port);
    expect(await connection.write('secret\r\n\r\n').status()).toBe(400);
    const [, id] = /\r\nX-Request-Id: (\S+)\r\n/.exec(connection.received) ?? [];
    expect(await entries(1)).toEqual([
      {
        message: 'none none 400',
        method: 'none',
        route: 'none',
        status: 400,
        duration_ms: 0,
        request_id: id,
      },
    ]);
    expect(id).toEqual(expect.any(String));
  });

  it('has the refusal of a body that comes too late', async () => {
    await start('all');
    const connection = await RawConnection.open(app.port);
    const headers = { Authorization: 'Basic in', 'Content-Length': 9, 'X-Request-Id': 'late-1' };
    expect(await connection.request(`POST ${things}`, headers, 'name').status()).toBe(408);
    expect(connection.received).toMatch(/\r\nX-Request-Id: late-1\r\n/);
    expect(await entries(1)).toMatchObject([{ route: things, status: 408, request_id: 'late-1' }]);
  });

  it.each(['/waiting', '/waiting_directly'])('marks a client of %s that left', async (path) => {
    await start('all');
    const connection = await RawConnection.open(app.port);
    connection.request(`GET /api/v1${path}?outcome=late`, { Authorization: 'Basic in' });
    await new Promise(setImmediate);
    connection.socket.destroy();
    expect(await entries(1)).toMatchObject([{ route: `/api/v1${path}`, is_complete: false }]);
  });

  it('has only failed requests on demand', async () => {
    await start('failed');
    await app.call('GET', '/things');
    await app.call('GET', '/waiting_directly?outcome=late');
    await app.call('GET', '/nowhere');
    await app.send(things);
    expect(await entries(2)).toMatchObject([{ status: 404 }, { status: 401 }]);
  });

  it('never has a part of a path, a query, a header or a body', async () => {
    await start('all');
    const secrets = { name: 'hush-form', other: 'hush-other' };
    const headers = { ...form(secrets).headers, cookie: 'hush', 'user-agent': 'hush' };
    const body = { ...form(secrets), headers };
    const given = [
      () => app.call('POST', '/things?name=hush', body),
      () => app.call('POST', '/things_directly', body),
      () => app.call('GET', '/waiting_directly?outcome=hush', { headers: { referer: 'hush' } }),
      () => app.call('GET', '/hush?key=hush', body),
      () => app.call('GET', '/things/%zz-hush?key=hush'),
      () => app.call('DELETE', '/things/hush'),
      () => app.send(`${things}?api_key=hush`, { headers: { authorization: 'Basic hush' } }),
      () => app.send(things, { headers: { 'x-request-id': 'hush hush' } }),
    ];
    for (const send of given) await send();
    expect(JSON.stringify(await entries(given.length))).not.toMatch(/hush/i);
  });
});
