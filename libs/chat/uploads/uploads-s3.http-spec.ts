import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { basicAuthorization } from '#test/api-client';
import { sendRequest } from '#test/http-request';
import { addOrganisation } from '#test/organisation';
import { startS3Server } from '#test/s3-server';
import { useGateway } from '#test/start-gateway';
import { filePart, multipart } from '#test/uploads-multipart';
import { useFixture } from '#test/use-fixture';

const server = useFixture(startS3Server);
const system = useGateway(() => server.environment);

const upload = (name: string, body: string | Buffer) =>
  system.api('alice').send('POST', '/user_uploads', multipart(filePart(name, body)));

const open = (url: unknown, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  sendRequest(system.gatewayUrl + encodeURI(String(url)), {
    method,
    headers: { authorization: basicAuthorization(system.user('alice')), ...headers },
  });

describe('Uploads in a bucket', () => {
  it('are stored there, with links without a folder', async () => {
    const { body } = await upload('grüße.txt', 'hello');
    expect(body['url']).toMatch(/^\/user_uploads\/\d+\/[\w-]{24}\/grüße\.txt$/);
    expect(await open(body['url'])).toMatchObject({
      status: 200,
      text: 'hello',
      headers: { 'content-type': 'text/plain', 'content-length': '5' },
    });
  });

  it('are returned unchanged, and in ranges', async () => {
    const bytes = randomBytes(12 * 1024 * 1024);
    const { body } = await upload('a.bin', bytes);
    const half = await open(body['url'], { range: 'bytes=6291456-' });
    expect(half).toMatchObject({ status: 206, headers: { 'content-length': '6291456' } });
    expect(half.text).toBe(bytes.subarray(6_291_456).toString());
    expect(await open(body['url'], {}, 'HEAD')).toMatchObject({
      status: 200,
      headers: { 'content-length': '12582912' },
    });
  });

  it('include resumable uploads', async () => {
    const reply = await system.api('alice').send('POST', '/tus', {
      body: 'abc',
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '3',
        'content-type': 'application/offset+octet-stream',
      },
    });
    expect(reply).toMatchObject({ status: 201 });
    expect((await open(reply.body['url'])).text).toBe('abc');
  });
});

describe('An upload while the bucket is unavailable', () => {
  it('is rejected temporarily, and takes no quota', async () => {
    const organisation = await addOrganisation(system, { uploadQuotaMib: 1 });
    const { api } = await organisation.addPerson();
    const kept = await upload('before.txt', 'before');
    await server.stop();
    const away = { status: 503, body: { code: 'SERVICE_UNAVAILABLE' } };
    const request = multipart(filePart('a', 'a'.repeat(1024)));
    expect(await api.send('POST', '/user_uploads', request)).toMatchObject(away);
    expect(await open(kept.body['url'])).toMatchObject(away);
    const { prisma } = system.database.database;
    const realm = await prisma.realm.findUniqueOrThrow({ where: { id: organisation.id } });
    expect(realm.uploadedBytes).toBe(0n);
    expect(await prisma.attachment.count({ where: { realmId: organisation.id } })).toBe(0);
  });
});
