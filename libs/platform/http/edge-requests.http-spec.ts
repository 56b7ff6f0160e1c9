import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OutgoingRequest } from '#test/http-request';
import { form, jsonBody, startEdgeTestApp, type EdgeTestApp } from './edge-test-app.fixture.js';

const part = (disposition: string, content: string) =>
  `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;

describe('requests to the edge', () => {
  let app: EdgeTestApp;

  beforeAll(async () => {
    app = await startEdgeTestApp();
  });

  afterAll(() => app.close());

  describe('parameters', () => {
    it('reads parameters from the query', async () => {
      const reply = await app.call('GET', '/things?name=a%20b&tags=%5B%22x%22%5D&name=last');
      expect(reply.body).toEqual({
        result: 'success',
        msg: '',
        via: 'GET',
        given: { name: 'last', tags: ['x'] },
        email: 'someone@chat.test',
      });
    });

    it('reads parameters from a form, which takes precedence over the query', async () => {
      const reply = await app.call(
        'POST',
        '/things?name=query&tags=[]',
        form('name=first&name=form%20%C3%A9'),
      );
      expect(reply.body['given']).toEqual({ name: 'form é', tags: [] });
    });

    it('reads parameters from a JSON object, with lists', async () => {
      const reply = await app.call('POST', '/things', jsonBody('{"name":"n","tags":["x","y"]}'));
      expect(reply.body['given']).toEqual({ name: 'n', tags: ['x', 'y'] });
    });

    it('reads parameters from multipart fields and ignores files', async () => {
      const reply = await app.call('POST', '/things', {
        headers: { 'content-type': 'multipart/form-data; boundary=edge' },
        body: [
          part('name="name"', 'from a part'),
          part('name="file"; filename="a.txt"', 'x'.repeat(100_000)),
          part('name="tags"', '["z"]'),
          '--edge--\r\n',
        ].join(''),
      });
      expect(reply.body).toMatchObject({ given: { name: 'from a part', tags: ['z'] } });
      expect(reply.body).not.toHaveProperty('ignored_parameters_unsupported');
    });

    it('rejects a malformed multipart body', async () => {
      const reply = await app.call('POST', '/things', {
        headers: { 'content-type': 'multipart/form-data; boundary=edge' },
        body: '--edge\r\nContent-Disposition: form-data; name="name"\r\n\r\ncut off',
      });
      expect(reply).toMatchObject({ status: 400, body: { msg: 'Malformed request' } });
    });

    const announced = (contentType: string) => ({
      headers: { 'content-type': contentType, 'content-length': '0' },
    });

    it.each([
      ['a multipart form', announced('multipart/form-data; boundary=edge')],
      ['a multipart form without a boundary', announced('multipart/form-data')],
      ['a form', announced('application/x-www-form-urlencoded')],
      ['JSON', announced('application/json')],
      ['nothing', {}],
    ])('takes an empty body for a request without parameters: %s', async (_announced, body) => {
      const whole = { result: 'success', msg: '', via: 'POST', given: {} };
      expect((await app.call('POST', '/things', body)).body).toEqual(whole);
    });

    it.each([
      ['without a type', {}],
      ['of an announced multipart form', announced('multipart/form-data; boundary=edge')],
    ])('reads parameters of a PATCH from the query, with an empty body %s', async (_kind, body) => {
      const reply = await app.call('PATCH', '/things?name=n&tags=[]&zeta=1', body);
      expect(reply.body).toEqual({
        result: 'success',
        msg: '',
        ignored_parameters_unsupported: ['zeta'],
      });
      expect(await app.call('PATCH', '/things?tags=1', body)).toMatchObject({
        status: 400,
        body: { msg: 'tags is not a list' },
      });
    });

    it('reads parameters from the path, which takes precedence over all others', async () => {
      const reply = await app.call('DELETE', '/things/7?thing_id=8', form({ thing_id: '9' }));
      expect(reply.body).toEqual({
        result: 'success',
        msg: '',
        via: 'DELETE',
        given: { thing_id: 7 },
      });
    });

    it('ignores a body of an unknown type', async () => {
      const reply = await app.call('POST', '/things', {
        headers: { 'content-type': 'text/x-unknown' },
        body: 'name=n',
      });
      expect(reply.body).toEqual({ result: 'success', msg: '', via: 'POST', given: {} });
    });

    it('lists unsupported parameters, also names of Object.prototype', async () => {
      const body = '{"__proto__":{"isAdmin":true},"constructor":1,"zeta":1,"client":"x"}';
      const reply = await app.call('POST', '/things?toString=1', jsonBody(body));
      expect(reply.body).toEqual({
        result: 'success',
        msg: '',
        ignored_parameters_unsupported: ['__proto__', 'constructor', 'toString', 'zeta'],
        via: 'POST',
        given: {},
      });
    });

    it('treats a null member of a JSON body as missing', async () => {
      const reply = await app.call('POST', '/things', jsonBody('{"name":null,"zeta":null}'));
      expect(reply.body).toEqual({ result: 'success', msg: '', via: 'POST', given: {} });
    });

    it.each(['{"name":', '[1]', '"text"', 'null'])('rejects the JSON body %s', async (body) => {
      const reply = await app.call('POST', '/things', jsonBody(body));
      expect(reply).toMatchObject({
        status: 400,
        body: { code: 'INVALID_JSON', msg: 'Malformed JSON' },
      });
    });

    it('reads a body only after the sign-in', async () => {
      const reply = await app.send('/api/v1/things', { method: 'POST', ...jsonBody('{"name":') });
      expect(reply.status).toBe(401);
    });
  });

  describe('methods', () => {
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
});
