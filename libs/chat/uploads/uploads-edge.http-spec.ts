import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MEBIBYTE } from '#platform/contracts';
import { eventually } from '#test/eventually';
import { sendRequest } from '#test/http-request';
import { startFileApp } from './uploads-edge-app.fixture.js';
import { filePart, multipart, type Part } from '#test/uploads-multipart';
import { useFixture } from '#test/use-fixture';

const noFile = { status: 400, body: { msg: 'Malformed JSON' } };
const severalFiles = { status: 400, body: { msg: 'Malformed request' } };

const app = useFixture(() => startFileApp());
afterEach(async () => {
  await eventually(async () => expect(await app.spooled()).toEqual([]));
});

const take = (...parts: Part[]) => app.call('POST', '/api/v1/file', multipart(...parts));

describe('An endpoint that accepts a file', () => {
  it('stores the file on disk, and parses the other fields as parameters', async () => {
    const reply = await take(
      { disposition: 'name="extra"', body: 'x' },
      filePart('a.bin', 'the bytes', 'Application/X-Thing; charset=x'),
      { disposition: 'name="note"', body: 'hello' },
    );
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      ignored_parameters_unsupported: ['extra'],
      note: 'hello',
      text: 'the bytes',
      metadata: {
        fieldName: 'file',
        fileName: 'a.bin',
        contentType: 'application/x-thing',
        sizeBytes: 9,
      },
    });
  });

  it.each([
    ['name="any thing"; filename="a b.txt"', 'a b.txt'],
    ['name="f"; filename="../../etc/passwd"', 'passwd'],
    ['name="f"; filename="C:\\\\folder\\\\file.txt"', 'file.txt'],
    ['name="f"; filename="%2e%2e%2ffile"', '%2e%2e%2ffile'],
    ['name="f"; filename="grüße.txt"', 'grüße.txt'],
    // In a form, `filename` takes precedence over `filename*`.
    [`name="f"; filename="x"; filename*=UTF-8''gr%C3%BC%C3%9Fe%2etxt`, 'x'],
    [`name="f"; filename*=iso-8859-1'de'gr%FC%DFe.txt`, 'grüße.txt'],
    ['name="f"; filename=plain', 'plain'],
  ])('reads the file name from %j', async (disposition, fileName) => {
    const reply = await take({ disposition, body: '' });
    expect(reply.body).toMatchObject({ metadata: { fileName, sizeBytes: 0, contentType: null } });
  });

  it('accepts a file name that is not UTF-8 and declares no encoding', async () => {
    const { headers, body } = multipart(filePart('gr#e.txt', ''));
    const latin1 = Buffer.from(body);
    latin1[latin1.indexOf('#')] = 0xfc;
    const reply = await app.call('POST', '/api/v1/file', { headers, body: latin1 });
    expect(reply.body).toMatchObject({ metadata: { fileName: 'gr\uFFFDe.txt' } });
  });

  it.each<[string, Part[]]>([
    ['nothing', []],
    ['only fields', [{ disposition: 'name="file"', body: 'x' }]],
    ['an empty file input', [filePart('', '', 'application/octet-stream')]],
    [
      'a file without a name',
      [{ disposition: 'name="f"', type: 'application/octet-stream', body: 'x' }],
    ],
    ['a file whose name is a folder', [filePart('..', 'x')]],
  ])('finds no file in %s', async (_, parts) => {
    expect(await take(...parts)).toMatchObject(noFile);
  });

  it('finds no file in a URL-encoded form, in JSON or without a body', async () => {
    const types = ['application/x-www-form-urlencoded', 'application/json', 'text/plain'];
    for (const type of types) {
      const request = {
        headers: { 'content-type': type },
        body: type.endsWith('json') ? '{}' : 'a=b',
      };
      expect(await app.call('POST', '/api/v1/file', request)).toMatchObject(noFile);
    }
    expect(await app.call('POST', '/api/v1/file')).toMatchObject(noFile);
  });

  it('rejects two files, in the same field or in different ones', async () => {
    const other = { disposition: 'name="other"; filename="b"', body: 'b'.repeat(100_000) };
    expect(await take(filePart('a', 'a'), filePart('a', 'a'))).toMatchObject(severalFiles);
    expect(await take(filePart('a', 'a'.repeat(100_000)), other)).toMatchObject(severalFiles);
  });

  it('rejects too many parts', async () => {
    const parts = Array.from({ length: 1001 }, () => ({ disposition: 'name="a"', body: 'b' }));
    expect((await take(filePart('a', 'a'), ...parts)).status).toBe(413);
  });

  it('checks the parameters first', async () => {
    const reply = await take({ disposition: 'name="note"', body: 'too long' });
    expect(reply.body).toMatchObject({ msg: 'note is too long (limit: 5 characters)' });
  });

  it('accepts a file of exactly the limit, and rejects one more byte', async () => {
    const whole = await take(filePart('a', Buffer.alloc(2 * MEBIBYTE)));
    expect(whole.body).toMatchObject({ metadata: { sizeBytes: 2 * MEBIBYTE } });
    const more = await take(filePart('a', Buffer.alloc(2 * MEBIBYTE + 1)));
    expect(more).toMatchObject({
      status: 413,
      body: { msg: expect.stringContaining('limit: 2 ') },
    });
    const muchMore = await take(filePart('a', Buffer.alloc(9 * MEBIBYTE)));
    expect(muchMore.status).toBe(413);
  });

  it('can have its own limit', async () => {
    const send = (size: number) =>
      app.call('POST', '/api/v1/small_file', multipart(filePart('a', Buffer.alloc(size))));
    expect((await send(MEBIBYTE)).body).toMatchObject({ sizeBytes: MEBIBYTE });
    expect(await send(MEBIBYTE + 1)).toMatchObject({ status: 413 });
  });

  it('removes the file when its route fails', async () => {
    const reply = await app.call('POST', '/api/v1/failing_file', multipart(filePart('a', 'x')));
    expect(reply.body).toMatchObject({ msg: 'No such user' });
  });

  it('rejects a truncated body', async () => {
    const { headers, body } = multipart(filePart('a', 'x'.repeat(200_000)));
    const half = body.subarray(0, 100_000);
    const reply = await app.call('POST', '/api/v1/file', { headers, body: half });
    expect(reply).toMatchObject({ status: 400, body: { msg: 'Malformed request' } });
  });

  it('removes the file of a broken connection', async () => {
    const socket = await startUpload(app.port, 'Basic in');
    await eventually(async () => expect(await app.spooled()).toHaveLength(1));
    socket.destroy();
  });

  it('receives twenty files of an account at a time', async () => {
    const sockets = await Promise.all(
      Array.from({ length: 20 }, () => startUpload(app.port, 'Basic in')),
    );
    await eventually(async () => expect(await app.spooled()).toHaveLength(20));
    const reply = await take(filePart('a', 'x'));
    expect(reply).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect((await take(filePart('a', 'x'))).status).toBe(200));
  });

  it('delays a shutdown only until it is done', async () => {
    const stopping = await startFileApp();
    const socket = await startUpload(stopping.port, 'Basic in');
    await eventually(async () => expect(await stopping.spooled()).toHaveLength(1));
    const stopped = stopping.close();
    socket.write(started.body.subarray(STARTED_BYTES));
    await stopped;
    socket.destroy();
  });

  it('checks the sign-in before it reads the body', async () => {
    const socket = await startUpload(app.port, null);
    const answer = await new Promise((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    );
    expect(answer).toContain('401 Unauthorized');
    expect(await app.spooled()).toEqual([]);
    socket.destroy();
  });
});

describe('An endpoint that accepts no file', () => {
  it('ignores any number of files', async () => {
    const note = { disposition: 'name="note"', body: 'hello' };
    const files = [filePart('a', 'x'.repeat(300_000)), filePart('b', 'y'.repeat(300_000))];
    const reply = await app.call('POST', '/api/v1/no_file', multipart(...files, note));
    expect(reply.body).toEqual({ result: 'success', msg: '', given: { note: 'hello' } });
  });
});

describe('An endpoint that returns a file', () => {
  const read = (path: string, headers = {}, method = 'GET') => app.call(method, path, { headers });

  it('returns the bytes alone, with its own headers', async () => {
    const reply = await read('/files/top/a/b%2Fc.txt?x=y');
    expect(reply).toMatchObject({
      status: 200,
      text: 'top and a/b/c.txt',
      headers: {
        'content-type': 'text/x-test',
        'content-length': '17',
        'cache-control': 'private',
        'accept-ranges': 'bytes',
        'x-request-id': expect.any(String),
      },
    });
    expect(reply.headers).not.toHaveProperty('expires');
  });

  it('returns only the headers for HEAD', async () => {
    const reply = await read('/files/top/a', {}, 'HEAD');
    expect(reply).toMatchObject({ status: 200, text: '', headers: { 'content-length': '9' } });
  });

  it('returns a range', async () => {
    const reply = await read('/files/top/a', { range: 'bytes=4-6' });
    expect(reply).toMatchObject({
      status: 206,
      text: 'and',
      headers: { 'content-range': 'bytes 4-6/9', 'content-length': '3' },
    });
  });

  it('rejects a range behind the end', async () => {
    const reply = await read('/files/top/a', { range: 'bytes=9-' });
    expect(reply).toMatchObject({
      status: 416,
      text: '',
      headers: { 'content-range': 'bytes */9', 'content-length': '0' },
    });
  });

  it('closes the connection when the bytes end early, so that the client does not wait', async () => {
    await expect(read('/files/top/short')).rejects.toThrow(/aborted|hang up/);
  });

  it('is temporarily unavailable when the bytes cannot be read', async () => {
    expect(await read('/files/top/unreadable')).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE' },
    });
  });

  it('is opened for twenty requests of an account at a time, however slowly they read', async () => {
    const head = 'GET /files/a/large HTTP/1.1\r\nHost: a\r\nAuthorization: Basic in\r\n\r\n';
    const readers = Array.from({ length: 25 }, () => connect(app.port, '127.0.0.1').pause());
    for (const reader of readers) reader.write(head);
    await eventually(() => expect(app.openFiles()).toBeGreaterThanOrEqual(20));
    await delay(200);
    expect(app.openFiles()).toBe(20);
    for (const reader of readers.slice(0, 5)) reader.destroy();
    await delay(200);
    expect(app.openFiles()).toBe(20);
    // Also those that still wait.
    for (const reader of readers) reader.destroy();
    await eventually(() => expect(app.openFiles()).toBe(0));
    expect((await app.call('GET', '/files/a/b')).status).toBe(200);
  });

  it('returns errors in the usual envelope', async () => {
    expect(await read('/files/top/none', { range: 'bytes=1-2' })).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: { code: 'NOT_FOUND' },
    });
    expect(await read('/files/top/a', {}, 'POST')).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
    const stranger = await sendRequest(`http://127.0.0.1:${app.port}/files/top/a`);
    expect(stranger).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
  });
});

const started = multipart(filePart('a', 'x'.repeat(500_000)));
const STARTED_BYTES = 300_000;

/** Sends the beginning of a file on a new connection. */
async function startUpload(port: number, authorization: string | null) {
  const socket = connect(port, '127.0.0.1');
  await new Promise((resolve) => socket.once('connect', resolve));
  const { headers, body } = started;
  const lines = [
    'POST /api/v1/file HTTP/1.1',
    'Host: chat.test',
    `Content-Type: ${headers['content-type']}`,
    `Content-Length: ${body.length}`,
    ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  socket.write(body.subarray(0, STARTED_BYTES));
  return socket;
}
