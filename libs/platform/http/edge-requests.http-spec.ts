import { describe, expect, it } from '@jest/globals';
import type { OutgoingRequest } from '#test/http-request';
import { useFixture } from '#test/use-fixture';
import { form, jsonBody, part, startEdgeTestApp } from './edge-test-app.fixture.js';

describe('requests to the edge', () => {
  const app = useFixture(() => startEdgeTestApp());

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
        ignored_parameters_unsupported: ['thing_id'],
      });
    });

    it.each([
      [
        'a form in Latin-1',
        'application/x-www-form-urlencoded',
        Buffer.from('a=caf\u00e9', 'latin1'),
      ],
      [
        'encoded bytes of Latin-1',
        'application/x-www-form-urlencoded',
        Buffer.from('a=caf%E9&b=1'),
      ],
      ['JSON in Latin-1', 'application/json', Buffer.from('{"a":"caf\u00e9"}', 'latin1')],
    ])('refuses %s', async (_what, type, body) => {
      const reply = await app.call('DELETE', '/things/7', {
        headers: { 'content-type': type },
        body,
      });
      expect(reply).toMatchObject({
        status: 400,
        body: { msg: 'The body is not encoded in UTF-8' },
      });
    });

    it('accepts percent signs that encode nothing, and UTF-8', async () => {
      const reply = await app.call('DELETE', '/things/7', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=100%&b=%zz&c=caf%C3%A9%F0%9F%98%80',
      });
      expect(reply.status).toBe(200);
    });

    const unsupported = {
      status: 415,
      body: { code: 'BAD_REQUEST', msg: 'Unsupported media type' },
    };
    const ofType = (type: string, body = 'name=n') => ({
      headers: { 'content-type': type, 'content-length': String(body.length) },
      body,
    });

    it.each([
      ['POST', '/things', 'text/plain;charset=UTF-8'],
      ['PATCH', '/things', 'text/json'],
      ['DELETE', '/things/7', 'application/octet-stream'],
      ['POST', '/things', 'multipart/mixed; boundary=edge'],
      ['POST', '/open_things', 'application/xml'],
      ['POST', '/things_directly', 'text/plain'],
      ['POST', '/things', 'no-type'],
      ['POST', '/things', ''],
    ])('refuses a body of %s %s of the type %j', async (method, path, type) => {
      expect(await app.call(method, path, ofType(type))).toMatchObject(unsupported);
    });

    it('reads no body of a GET, whatever its type and encoding', async () => {
      const { headers, body } = ofType('text/plain');
      const encoded = { headers: { ...headers, 'content-encoding': 'gzip' }, body };
      expect(await app.call('GET', '/things', encoded)).toMatchObject({
        status: 200,
        body: { given: {} },
      });
    });

    it('takes an empty body of any type and encoding', async () => {
      const { headers } = ofType('text/plain', '');
      for (const more of [{}, { 'content-encoding': 'gzip' }])
        expect(
          await app.call('PATCH', '/things', { headers: { ...headers, ...more } }),
        ).toMatchObject({ status: 200 });
    });

    it('checks the sign-in before the type of a body', async () => {
      const reply = await app.send('/api/v1/things', { method: 'POST', ...ofType('text/plain') });
      expect(reply.status).toBe(401);
    });

    const encodedIn = (encoding: string, { headers, body }: OutgoingRequest) => ({
      headers: { ...headers, 'content-encoding': encoding },
      ...(body !== undefined && { body }),
    });

    it.each<[string, string, OutgoingRequest]>([
      ['a form', '/things', form({ name: 'n' })],
      ['a form of a direct route', '/things_directly', form({ name: 'n' })],
      ['JSON', '/things', jsonBody('{"name":"n"}')],
      ['malformed JSON', '/things', jsonBody('\x1f')],
      ['a multipart form', '/things', ofType('multipart/form-data; boundary=edge')],
    ])('refuses a compressed body: %s', async (_kind, path, request) => {
      expect(await app.call('POST', path, encodedIn('gzip', request))).toMatchObject(unsupported);
    });

    it('takes a body with the encoding `identity`', async () => {
      for (const path of ['/things', '/things_directly'])
        expect(
          await app.call('POST', path, encodedIn('Identity', form({ name: 'n' }))),
        ).toMatchObject({ status: 200, body: { given: { name: 'n' } } });
    });

    it.each([
      ['without a name', ''],
      ['with a name of Object.prototype', '; name="__proto__"'],
    ])('rejects a multipart field %s', async (_kind, name) => {
      const reply = await app.call('POST', '/things', {
        headers: { 'content-type': 'multipart/form-data; boundary=edge' },
        body: `--edge\r\nContent-Disposition: form-data${name}\r\n\r\nx\r\n--edge--\r\n`,
      });
      expect(reply).toMatchObject({ status: 400, body: { msg: 'Malformed request' } });
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
});
