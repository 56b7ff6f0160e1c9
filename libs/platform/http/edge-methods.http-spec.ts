import { describe, expect, it } from '@jest/globals';
import type { OutgoingRequest } from '#test/http-request';
import { useFixture } from '#test/use-fixture';
import { form, jsonBody, part, startEdgeTestApp } from './edge-test-app.fixture.js';

describe('methods of requests to the edge', () => {
  const app = useFixture(() => startEdgeTestApp());

  it('answers HEAD for every GET endpoint', async () => {
    const reply = await app.call('HEAD', '/things');
    expect(reply).toMatchObject({ status: 200, text: '' });
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(0);
  });

  it('answers OPTIONS without a sign-in', async () => {
    const reply = await app.send('/api/v1/things', { method: 'OPTIONS' });
    expect(reply).toMatchObject({ status: 204, text: '' });
    expect(reply.headers.allow).toBe('GET, HEAD, PATCH, POST');
  });

  it('rejects an unsupported method', async () => {
    const reply = await app.send('/api/v1/things/7', { method: 'PUT' });
    expect(reply).toMatchObject({
      status: 405,
      headers: { allow: 'DELETE' },
      body: {
        result: 'error',
        msg: 'Method Not Allowed',
        code: 'METHOD_NOT_ALLOWED',
        allowed_methods: ['DELETE'],
      },
    });
  });

  it.each(['TRACE', 'PROPFIND', 'LOCK', 'QUERY', 'LINK', 'M-SEARCH'])(
    'rejects the method %s of HTTP, which the API does not have',
    async (method) => {
      expect(await app.send('/api/v1/things/7', { method })).toMatchObject({
        status: 405,
        headers: { allow: 'DELETE' },
        body: { allowed_methods: ['DELETE'] },
      });
      expect((await app.send('/api/v1/nowhere', { method })).status).toBe(404);
    },
  );

  it.each<[string, OutgoingRequest]>([
    ['form', form({ method: 'DELETE' })],
    ['JSON', jsonBody('{"method":"DELETE"}')],
  ])('uses the field `method` of a %s POST as the method', async (_kind, body) => {
    const reply = await app.call('POST', '/things/7', body);
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      via: 'DELETE',
      given: { thing_id: 7 },
    });
  });

  it('accepts `method` on a path that has POST too', async () => {
    const reply = await app.call('POST', '/things', form({ method: 'GET', name: 'n' }));
    expect(reply.body).toMatchObject({ via: 'GET', given: { name: 'n' } });
  });

  it('requires the usual sign-in when `method` names another method', async () => {
    const reply = await app.send('/api/v1/things/7', {
      method: 'POST',
      ...form({ method: 'DELETE' }),
    });
    expect(reply.status).toBe(401);
  });

  it('rejects a `method` that the path does not support', async () => {
    const reply = await app.call('POST', '/things', form({ method: 'DELETE' }));
    expect(reply).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, PATCH, POST' } });
  });

  const multipart = (...methods: readonly string[]) => ({
    headers: { 'content-type': 'multipart/form-data; boundary=edge' },
    body: `${methods.map((method) => part('name="method"', method)).join('')}--edge--\r\n`,
  });

  it.each<[string, OutgoingRequest]>([
    ['unknown', form({ method: 'BREW' })],
    ['empty', form({ method: '' })],
    ['in lower case', form({ method: 'get' })],
    ['HEAD', form({ method: 'HEAD' })],
    ['OPTIONS', form({ method: 'OPTIONS' })],
    ['a number', jsonBody('{"method":5}')],
    ['repeated, the last unknown', form('method=POST&method=BREW')],
    ['in a multipart form', multipart('GET')],
    ['repeated in a multipart form', multipart('POST', 'BREW')],
  ])('never runs the POST when `method` is %s', async (_kind, body) => {
    expect(await app.call('POST', '/things', body)).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD, PATCH, POST' },
      body: {
        code: 'METHOD_NOT_ALLOWED',
        allowed_methods: ['GET', 'HEAD', 'PATCH', 'POST'],
      },
    });
  });

  it.each<[string, OutgoingRequest]>([
    ['form', form({ method: 'POST' })],
    ['repeated field', form('method=BREW&method=POST')],
    ['multipart form', multipart('POST')],
    ['JSON without a value', jsonBody('{"method":null}')],
  ])('runs the POST when `method` is POST: %s', async (_kind, body) => {
    expect((await app.call('POST', '/things', body)).body).toMatchObject({ via: 'POST' });
  });

  it('reads the last of repeated fields `method`', async () => {
    const reply = await app.call('POST', '/things', form('method=POST&method=GET'));
    expect(reply.body).toMatchObject({ via: 'GET' });
  });
});
