import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { badRequest } from '#test/answers';
import { type ApiClient, basicAuthorization } from '#test/api-client';
import { type Reply, sendRequest } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { filePart, multipart } from '#test/uploads-multipart';

const missing = {
  status: 404,
  headers: { 'content-type': 'application/json' },
  body: { code: 'BAD_REQUEST', msg: 'This file does not exist or has been deleted.' },
};

const system = useGateway({});

async function upload(who: string | ApiClient, name: string, body = 'hello', type?: string) {
  const client = typeof who === 'string' ? system.api(who) : who;
  const reply = await client.send('POST', '/user_uploads', multipart(filePart(name, body, type)));
  return String(reply.body['url']);
}

/** Opens a link, with or without a sign-in. */
function open(
  who: string | null,
  url: string,
  options: { method?: string; headers?: object } = {},
) {
  return sendRequest(system.gatewayUrl + encodeURI(url), {
    ...(options.method !== undefined && { method: options.method }),
    headers: {
      ...(who !== null && { authorization: basicAuthorization(system.user(who)) }),
      ...options.headers,
    },
  });
}

const pathIdOf = (url: string) => url.replace('/user_uploads/', '');

const attachmentAt = (url: string) =>
  system.database.database.prisma.attachment.findUniqueOrThrow({
    where: { pathId: pathIdOf(url) },
  });

/** Sends a message with a link from alice to a channel of the demo data or to bob. */
async function sendLink(url: string, place: string): Promise<void> {
  const to = system.demo.channels[place] ?? [system.user(place).user_id];
  const type = typeof to === 'number' ? 'channel' : 'direct';
  const content = `[a file](${url})`;
  const reply = await system.api('alice').post('/messages', { type, to, topic: 'files', content });
  expect(reply.status).toBe(200);
}

describe('GET /user_uploads/{realm_id}/…', () => {
  it('returns the bytes to the uploader', async () => {
    const url = await upload('alice', 'grüße.txt', 'hello ☂️', 'text/plain');
    expect(await open('alice', url)).toMatchObject({
      status: 200,
      text: 'hello ☂️',
      headers: {
        'content-type': 'text/plain',
        'content-length': '12',
        'content-disposition': `inline; filename="gr??e.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`,
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'x-content-type-options': 'nosniff',
        'cache-control': expect.stringMatching(/^private/),
        'accept-ranges': 'bytes',
      },
    });
  });

  it('counts no request, except for a failed sign-in', async () => {
    const url = await upload('alice', 'a.png');
    expect((await open('alice', url)).headers['x-ratelimit-limit']).toBeUndefined();
    expect((await open(null, url)).headers['x-ratelimit-limit']).toEqual(expect.any(String));
    expect((await system.api('alice').get(url)).headers['x-ratelimit-limit']).toBeDefined();
  });

  it('responds to HEAD without the bytes, and to ranges with a part', async () => {
    const url = await upload('alice', 'a.mp4', '0123456789');
    expect(await open('alice', url, { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '10', 'content-type': 'video/mp4' },
    });
    expect(await open('alice', url, { headers: { range: 'bytes=2-4' } })).toMatchObject({
      status: 206,
      text: '234',
      headers: { 'content-range': 'bytes 2-4/10', 'content-length': '3' },
    });
    expect(await open('alice', url, { headers: { range: 'bytes=10-' } })).toMatchObject({
      status: 416,
    });
  });

  it('returns an empty file', async () => {
    const reply = await open('alice', await upload('alice', 'empty.txt', ''));
    expect(reply).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } });
  });

  it.each([
    ['page.html', 'text/html', 'attachment'],
    ['picture.svg', 'image/svg+xml', 'attachment'],
    ['picture.png', 'image/png', 'inline'],
  ])('serves %s, a %s, as %s', async (name, type, disposition) => {
    const reply = await open('alice', await upload('alice', name, 'x', type));
    expect(reply.headers).toMatchObject({
      'content-type': type,
      'content-disposition': `${disposition}; filename="${name}"`,
    });
  });

  it('serves all files as downloads below /user_uploads/download/', async () => {
    const url = await upload('alice', 'a.png');
    const download = url.replace('/user_uploads/', '/user_uploads/download/');
    expect((await open('alice', download)).headers).toMatchObject({
      'content-disposition': 'attachment; filename="a.png"',
    });
    expect(await open('bob', download)).toMatchObject(missing);
    expect((await open(null, download)).status).toBe(401);
  });

  it('hides the file from all others, including administrators', async () => {
    const url = await upload('alice', 'secret.txt');
    for (const who of ['bob', 'owner', 'admin', 'guest', 'alice_bot']) {
      expect(await open(who, url)).toMatchObject(missing);
    }
  });

  it.each([
    ['general', ['bob', 'admin', 'carol', 'guest'], []],
    ['empty', ['bob', 'admin', 'carol'], ['guest']],
    ['design', ['bob'], ['admin', 'owner', 'carol', 'guest']],
    ['bob', ['bob'], ['admin', 'owner', 'carol', 'guest']],
  ])(
    'shows the file to the readers of a message to %s that links it',
    async (place, readers, others) => {
      const url = await upload('alice', 'shared – für alle.txt', 'shared');
      await sendLink(url, place);
      for (const who of ['alice', ...readers]) {
        expect(await open(who, url)).toMatchObject({ status: 200, text: 'shared' });
      }
      for (const who of others) expect(await open(who, url)).toMatchObject(missing);
    },
  );

  it('rejects an unknown, changed or malformed link', async () => {
    const url = await upload('alice', 'a.txt');
    const { realmId } = await attachmentAt(url);
    const links = [
      `/user_uploads/${realmId}/none`,
      `${url}x`,
      `${url}/`,
      url.replace('a.txt', ''),
      url.toUpperCase().replace('/USER_UPLOADS/', '/user_uploads/'),
      `/user_uploads/${realmId}/../../etc/passwd`.replaceAll('..', '%2e%2e'),
      `/user_uploads/${realmId}/a%00b`,
      `/user_uploads/${realmId}/`,
      '/user_uploads/0/a',
      url.replace(`/${realmId}/`, '/2147483647/'),
    ];
    const replies: Reply[] = [];
    for (const one of links) {
      replies.push(
        await sendRequest(system.gatewayUrl + one, {
          headers: { authorization: basicAuthorization(system.user('alice')) },
        }),
      );
    }
    expect(replies.map(({ status }) => status)).toEqual(
      links.map((one) => (one.includes('%00') ? 400 : 404)),
    );
    expect((await open('alice', '/user_uploads/99999999999/a')).status).toBe(404);
    expect((await open('alice', '/user_uploads/abc/a')).status).toBe(404);
  });

  it('rejects a file without its bytes', async () => {
    const url = await upload('alice', 'gone.txt');
    const folder = path.join(String(system.environmentOf('api-gateway')['DATA_DIR']), 'uploads');
    await rm(path.join(folder, 'files', pathIdOf(url)));
    expect(await open('alice', url)).toMatchObject(missing);
    expect(await readdir(path.join(folder, 'spool'))).toEqual([]);
  });

  it('separates organisations', async () => {
    const url = await upload('alice', 'ours.txt');
    const { api, host } = await (await addOrganisation(system)).addPerson();
    const theirs = await upload(api, 'theirs.txt');
    expect(await open('alice', theirs)).toMatchObject(missing);
    expect(await open('owner', theirs, { headers: { host } })).toMatchObject({ status: 401 });
    expect(await api.get(url)).toMatchObject(missing);
  });

  it('requires authentication, also in a browser', async () => {
    const url = await upload('alice', 'a.txt');
    expect(await open(null, url)).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    expect(await open(null, url, { headers: { accept: 'text/html' } })).toMatchObject({
      status: 302,
      headers: { location: `/login/?next=${encodeURIComponent(url)}` },
    });
    expect((await open('dora', url)).status).toBe(401);
  });

  it('rejects other methods', async () => {
    const url = await upload('alice', 'a.txt');
    expect(await open('alice', url, { method: 'DELETE' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
    expect(await open(null, url, { method: 'OPTIONS' })).toMatchObject({ status: 204 });
  });
});

describe('GET /api/v1/thumbnail/status/{realm_id}/{filename}', () => {
  it('says that no file has a thumbnail, to those who may read the file', async () => {
    const url = await upload('alice', 'a.png');
    const status = url.replace('/user_uploads/', '/thumbnail/status/');
    expect((await system.api('alice').get(status)).body).toMatchObject({ has_thumbnail: false });
    expect(await system.api('carol').get(status)).toMatchObject(missing);
  });
});

describe('GET /api/v1/user_uploads/{realm_id}/{filename}', () => {
  const share = async (who: string, url: string) => system.api(who).get(url);

  it('returns an address that needs no sign-in', async () => {
    const url = await upload('alice', 'grüße.png', 'shown');
    const reply = await share('alice', encodeURI(url));
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      url: expect.stringMatching(/^\/user_uploads\/temporary\/[\w.-]+\/grüße\.png$/),
    });
    expect(await open(null, String(reply.body['url']))).toMatchObject({
      status: 200,
      text: 'shown',
      headers: {
        'content-disposition': expect.stringMatching(/^inline/),
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
      },
    });
  });

  it('returns it to accounts that may read the file', async () => {
    const url = await upload('alice', 'a.png');
    expect(await share('bob', url)).toMatchObject(missing);
    await sendLink(url, 'design');
    expect((await share('bob', url)).status).toBe(200);
    expect(await share('carol', url)).toMatchObject(missing);
  });

  it('requires authentication', async () => {
    const url = await upload('alice', 'a.png');
    expect((await system.anonymous().get(url)).status).toBe(401);
  });

  it('rejects an address that was changed, belongs to another file, or has expired', async () => {
    const url = await upload('alice', 'a.png');
    const address = String((await share('alice', url)).body['url']);
    const [, , , token = ''] = address.split('/');
    const invalid = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Invalid token' } };
    expect(await open(null, address.replace(token, `${token}x`))).toMatchObject(invalid);
    expect(await open(null, address.replace(token, `9${token}`))).toMatchObject(invalid);
    expect(await open(null, '/user_uploads/temporary/x/a.png')).toMatchObject(invalid);
    expect(await open(null, address.replace('a.png', 'b.png'))).toMatchObject(
      badRequest('Invalid filename'),
    );
  });
});
