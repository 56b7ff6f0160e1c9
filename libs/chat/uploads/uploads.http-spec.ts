import { beforeAll, describe, expect, it } from '@jest/globals';
import { MEBIBYTE } from '#platform/contracts';
import { badRequest } from '#test/answers';
import type { ApiClient } from '#test/api-client';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { filePart, multipart, type Part } from '#test/uploads-multipart';

const system = useGateway({ MAX_FILE_UPLOAD_SIZE: '2' });
let alice: ApiClient;

beforeAll(async () => {
  alice = system.api('alice');
});

const upload = (client: ApiClient, ...parts: Part[]) =>
  client.send('POST', '/user_uploads', multipart(...parts));

const realmId = async () => {
  const user = await system.database.database.prisma.user.findUniqueOrThrow({
    where: { id: system.user('alice').user_id },
  });
  return user.realmId;
};

describe('POST /user_uploads', () => {
  it('stores a file and returns its link', async () => {
    const reply = await upload(alice, filePart('notes on it.txt', 'hello', 'text/plain'));
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      result: 'success',
      msg: '',
      url: expect.stringMatching(
        new RegExp(`^/user_uploads/${await realmId()}/[0-9a-f]{2}/[\\w-]{24}/notes-on-it\\.txt$`),
      ),
      uri: reply.body['url'],
      filename: 'notes on it.txt',
    });
  });

  it.each([
    ['foo.txt', 'foo.txt', 'foo.txt'],
    ['../foo', 'foo', 'foo'],
    ['.. ', '.. ', 'uploaded-file'],
    ['%22a%22 b.txt', '"a" b.txt', 'a-b.txt'],
    ['grüße 日本.png', 'grüße 日本.png', 'grüße-日本.png'],
    ['%00x', '%00x', '00x'],
  ])('maps the name %j to %j, and to %j in the link', async (given, filename, last) => {
    const { body } = await upload(alice, filePart(given, 'x'));
    expect(body).toMatchObject({ filename, url: expect.stringMatching(/^\/user_uploads\//) });
    expect(String(body['url']).split('/').at(-1)).toBe(last);
  });

  it('accepts a name of any length', async () => {
    const { body } = await upload(alice, filePart(`${'é'.repeat(5000)}.txt`, 'x'));
    expect(body).toMatchObject({ result: 'success', filename: `${'é'.repeat(251)}.txt` });
  });

  it('accepts a field of any name, and an empty file', async () => {
    const part = { disposition: 'name="any [name]"; filename="empty"', body: '' };
    expect((await upload(alice, part)).body).toMatchObject({ filename: 'empty' });
  });

  it('reports unknown parameters', async () => {
    const reply = await upload(alice, filePart('a', 'a'), { disposition: 'name="x"', body: 'y' });
    expect(reply.body).toMatchObject({ ignored_parameters_unsupported: ['x'] });
  });

  it('requires exactly one file', async () => {
    const none = badRequest('You must specify a file to upload');
    expect(await alice.post('/user_uploads')).toMatchObject(none);
    expect(await upload(alice, { disposition: 'name="file"', body: 'x' })).toMatchObject(none);
    expect(await upload(alice, filePart('a', 'a'), filePart('b', 'b'))).toMatchObject(
      badRequest('You may only upload one file at a time'),
    );
  });

  it('accepts a file of the configured size, and rejects one more byte', async () => {
    const whole = await upload(alice, filePart('a', Buffer.alloc(2 * MEBIBYTE)));
    expect(whole.body).toMatchObject({ result: 'success' });
    expect(await upload(alice, filePart('a', Buffer.alloc(2 * MEBIBYTE + 1)))).toMatchObject(
      badRequest("File is larger than this server's configured maximum upload size (2 MiB)."),
    );
  });

  it.each(['guest', 'alice_bot', 'owner'])('is available to %s', async (name) => {
    expect((await upload(system.api(name), filePart('a', 'a'))).status).toBe(200);
  });

  it('is not available to a deactivated account', async () => {
    expect((await upload(system.api('dora'), filePart('a', 'a'))).status).toBe(401);
  });
});

describe('The quota of an organisation', () => {
  const overQuota = {
    status: 400,
    body: {
      code: 'REALM_UPLOAD_QUOTA',
      msg: "Upload would exceed your organization's upload quota.",
    },
  };
  const usedBy = async (id: number) => {
    const { prisma } = system.database.database;
    const realm = await prisma.realm.findUniqueOrThrow({ where: { id } });
    return Number(realm.uploadedBytes);
  };

  it('accepts files up to the last byte', async () => {
    const organisation = await addOrganisation(system, { uploadQuotaMib: 1 });
    const { api } = await organisation.addPerson();
    expect((await upload(api, filePart('a', Buffer.alloc(MEBIBYTE - 1)))).status).toBe(200);
    expect(await upload(api, filePart('b', 'two'))).toMatchObject(overQuota);
    expect((await upload(api, filePart('c', '1'))).status).toBe(200);
    expect((await upload(api, filePart('d', ''))).status).toBe(200);
    expect(await upload(api, filePart('e', '1'))).toMatchObject(overQuota);
    expect(await usedBy(organisation.id)).toBe(MEBIBYTE);
  });

  it('limits concurrent uploads', async () => {
    const organisation = await addOrganisation(system, { uploadQuotaMib: 1 });
    const people = await organisation.addPeople(4);
    const replies = await Promise.all(
      people.map(({ api }) => upload(api, filePart('a', Buffer.alloc(0.6 * MEBIBYTE)))),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([overQuota, overQuota, overQuota]);
  });

  it('does not count rejected uploads', async () => {
    const organisation = await addOrganisation(system, { uploadQuotaMib: 5 });
    const { api } = await organisation.addPerson();
    await upload(api, filePart('a', Buffer.alloc(2 * MEBIBYTE + 1)));
    await upload(api, filePart('a', 'a'), filePart('b', 'b'));
    expect(await usedBy(organisation.id)).toBe(0);
  });
});
