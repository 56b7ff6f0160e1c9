import { describe, expect, it } from '@jest/globals';
import { MEBIBYTE } from '#platform/contracts';
import { crossOrigin } from '#test/answers';
import { basicAuthorization, type Credentials } from '#test/api-client';
import { type OutgoingRequest, sendRequest } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway({ MAX_FILE_UPLOAD_SIZE: '16' });

const metadata = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');

interface TusRequest extends OutgoingRequest {
  readonly url?: string;
}

/** Sends a request of the protocol, with or without a sign-in. */
function tus(who: string | Credentials | null, method: string, request: TusRequest = {}) {
  const { url = `${system.gatewayUrl}/api/v1/tus`, headers, ...rest } = request;
  const credentials = typeof who === 'string' ? system.user(who) : who;
  return sendRequest(url, {
    ...rest,
    method,
    headers: {
      'tus-resumable': '1.0.0',
      ...(credentials !== null && { authorization: basicAuthorization(credentials) }),
      ...headers,
    },
  });
}

async function create(
  who: string | Credentials,
  bytes: number,
  fields: Readonly<Record<string, string>> = { filename: 'a.txt' },
) {
  return tus(who, 'POST', {
    headers: { 'upload-length': String(bytes), 'upload-metadata': metadata(fields) },
  });
}

const patch = (who: string, url: string, offset: number, body: string | Buffer) =>
  tus(who, 'PATCH', {
    url,
    body,
    headers: {
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
    },
  });

const download = (who: string, url: unknown) =>
  sendRequest(system.gatewayUrl + String(url), {
    headers: { authorization: basicAuthorization(system.user(who)) },
  });

describe('/api/v1/tus', () => {
  it('accepts a file in parts, and returns the link after the last one', async () => {
    const created = await create('alice', 10, { filename: 'grüße an alle.txt' });
    expect(created).toMatchObject({
      status: 201,
      headers: {
        'tus-resumable': '1.0.0',
        'upload-expires': expect.any(String),
        'x-request-id': expect.any(String),
        'x-ratelimit-limit': '1000000',
      },
    });
    const url = String(created.headers.location);
    expect(url).toMatch(new RegExp(`^${system.gatewayUrl}/api/v1/tus/[\\w-]+$`));
    expect(await tus('alice', 'HEAD', { url })).toMatchObject({
      status: 200,
      headers: { 'upload-offset': '0', 'upload-length': '10' },
    });
    expect(await patch('alice', url, 0, '01234')).toMatchObject({
      status: 204,
      headers: { 'upload-offset': '5' },
    });
    expect(await tus('alice', 'HEAD', { url })).toMatchObject({
      headers: { 'upload-offset': '5' },
    });
    const finished = await patch('alice', url, 5, '56789');
    expect(finished).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json', 'upload-offset': '10' },
    });
    expect(finished.body).toEqual({
      url: expect.stringMatching(/^\/user_uploads\/\d+\/[0-9a-f]{2}\/[\w-]{24}\/gre-an-alle\.txt$/),
      filename: 'grüße an alle.txt',
    });
    expect((await download('alice', finished.body['url'])).text).toBe('0123456789');
    expect((await tus('alice', 'HEAD', { url })).status).toBe(404);
  });

  it('stores the type from the client, or that of the file extension', async () => {
    const fields = { filename: 'a.txt', filetype: 'image/png' };
    const named = await create('alice', 0, fields);
    expect((await download('alice', named.body['url'])).headers['content-type']).toBe('image/png');
    const guessed = await create('alice', 0, { filename: 'a.pdf' });
    expect((await download('alice', guessed.body['url'])).headers).toMatchObject({
      'content-type': 'application/pdf',
    });
  });

  it('finishes an empty upload with its creation', async () => {
    const created = await create('alice', 0, { filename: '日本' });
    expect(created).toMatchObject({
      status: 201,
      headers: { location: expect.any(String) },
      body: { url: expect.stringMatching(/\/uploaded-file$/), filename: '日本' },
    });
  });

  it('accepts the first bytes with the creation', async () => {
    const request = {
      body: 'abc',
      headers: { 'upload-length': '3', 'content-type': 'application/offset+octet-stream' },
    };
    const reply = await tus('alice', 'POST', request);
    expect(reply).toMatchObject({ status: 201, body: { filename: 'uploaded-file' } });
    expect((await download('alice', reply.body['url'])).text).toBe('abc');
  });

  it.each(['POST', 'HEAD', 'PATCH', 'DELETE'])('requires authentication for %s', async (method) => {
    const url = String((await create('alice', 5)).headers.location);
    const reply = await tus(null, method, { ...(method !== 'POST' && { url }) });
    expect(reply).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="zulip"' },
      body: method === 'HEAD' ? {} : { message: 'Unauthenticated upload' },
    });
    const wrong = { ...system.user('alice'), api_key: 'a'.repeat(32) };
    expect((await tus(wrong, method, { url })).status).toBe(401);
  });

  it('responds to OPTIONS without a sign-in', async () => {
    expect(await tus(null, 'OPTIONS')).toMatchObject({
      status: 204,
      headers: {
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,termination,expiration',
        'tus-max-size': String(16 * MEBIBYTE),
      },
    });
  });

  it('lets pages of other origins send its headers and read its answers', async () => {
    const preflight = await tus(null, 'OPTIONS');
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ');
    const needed = ['Tus-Resumable', 'Upload-Length', 'Upload-Metadata', 'Upload-Offset'];
    expect(allowed).toEqual(
      expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key', ...needed]),
    );
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringMatching(/^(?=.*POST)(?=.*PATCH)(?=.*HEAD)/),
    });
    for (const reply of [await create('alice', 5), await tus(null, 'POST')])
      expect(reply.headers).toMatchObject(crossOrigin);
  });

  it('hides an upload from other accounts', async () => {
    const url = String((await create('alice', 5)).headers.location);
    for (const who of ['bob', 'owner']) {
      expect((await tus(who, 'HEAD', { url })).status).toBe(404);
      expect((await patch(who, url, 0, 'mine!')).status).toBe(404);
      expect((await tus(who, 'DELETE', { url })).status).toBe(404);
    }
    expect((await patch('alice', url, 0, 'hello')).status).toBe(200);
  });

  it('rejects an upload without a length, and one that is too large', async () => {
    expect(await tus('alice', 'POST', { headers: { 'upload-defer-length': '1' } })).toMatchObject({
      status: 411,
      headers: { 'content-type': 'application/json' },
      body: { message: 'SizeIsDeferred is not supported' },
    });
    expect((await create('alice', 16 * MEBIBYTE)).status).toBe(201);
    expect(await create('alice', 16 * MEBIBYTE + 1)).toMatchObject({
      status: 413,
      body: {
        message: "File is larger than this server's configured maximum upload size (16 MiB).",
      },
    });
  });

  it.each([
    ['an offset behind the end', { 'upload-offset': '4' }, 409],
    ['another type', { 'content-type': 'text/plain' }, 415],
    ['no type', { 'content-type': '' }, 415],
    ['no offset', { 'upload-offset': '' }, 400],
    ['no version', { 'tus-resumable': '' }, 412],
    ['an unknown version', { 'tus-resumable': '0.2.0' }, 412],
  ])('rejects a part with %s', async (_, headers, status) => {
    const url = String((await create('alice', 5)).headers.location);
    const usual = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    const reply = await tus('alice', 'PATCH', {
      url,
      body: 'x',
      headers: { ...usual, ...headers },
    });
    expect(reply.status).toBe(status);
    expect(reply.headers['tus-version']).toBe(status === 412 ? '1.0.0' : undefined);
  });

  it('accepts the method in a header', async () => {
    const url = String((await create('alice', 5)).headers.location);
    const headers = {
      'x-http-method-override': 'PATCH',
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
    };
    expect((await tus('alice', 'POST', { url, headers, body: 'hel' })).status).toBe(204);
    expect((await patch('alice', url, 3, 'lo')).status).toBe(200);
  });

  it('rejects more bytes than announced', async () => {
    const url = String((await create('alice', 5)).headers.location);
    expect((await patch('alice', url, 0, '123456')).status).toBe(413);
  });

  it.each(['..%2f..%2fetc', '1-1-none', '%00', 'a'.repeat(300)])(
    'does not find the upload %j',
    async (id) => {
      const url = `${system.gatewayUrl}/api/v1/tus/${id}`;
      expect([400, 404]).toContain((await tus('alice', 'HEAD', { url })).status);
    },
  );

  it('does not find an unknown upload of the caller', async () => {
    const known = String((await create('alice', 5)).headers.location);
    expect((await tus('alice', 'HEAD', { url: `${known}x` })).status).toBe(404);
    expect((await patch('alice', `${known}x`, 0, 'x')).status).toBe(404);
  });

  it('deletes an upload', async () => {
    const url = String((await create('alice', 5)).headers.location);
    expect((await tus('alice', 'DELETE', { url })).status).toBe(204);
    expect((await tus('alice', 'HEAD', { url })).status).toBe(404);
  });

  it('takes the quota when an upload begins, and no more when it ends', async () => {
    const organisation = await addOrganisation(system, { uploadQuotaMib: 1 });
    const person = await organisation.addPerson();
    const full = {
      status: 413,
      body: { message: "Upload would exceed your organization's upload quota." },
    };
    const as = { headers: { host: person.host } };
    const begin = (bytes: number) =>
      tus(person, 'POST', { headers: { ...as.headers, 'upload-length': String(bytes) } });
    expect(await begin(MEBIBYTE + 1)).toMatchObject(full);
    const begun = await Promise.all([begin(MEBIBYTE), begin(MEBIBYTE)]);
    expect(begun).toContainEqual(expect.objectContaining(full));
    const first = begun.find(({ status }) => status === 201);
    const finish = (location: string | undefined) =>
      tus(person, 'PATCH', {
        url: String(location).replace(/^.*(?=\/api\/)/, system.gatewayUrl),
        body: Buffer.alloc(MEBIBYTE),
        headers: {
          ...as.headers,
          'content-type': 'application/offset+octet-stream',
          'upload-offset': '0',
        },
      });
    expect(String(first?.headers.location)).toContain(`//${person.host}:`);
    expect((await finish(first?.headers.location)).status).toBe(200);
    expect(await begin(1)).toMatchObject(full);
  });
});
