import { beforeEach, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { roles } from '#directory/roles';
import { MEBIBYTE } from '#platform/contracts';
import { badRequest, success } from '#test/answers';
import { boundStatements } from '#test/bounded-statements';
import { type Reply, sendRequest } from '#test/http-request';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { filePart, gif, multipart, type Part } from '#test/uploads-multipart';
import { useFolder } from '#test/use-fixture';
import { animatedGif } from './picture-frames.fixture.js';

const picture = filePart('mascot.gif', gif);

const folder = useFolder();
const system = useGateway(() => ({ UPLOADS_DIR: folder.path }));
let organisation: Organisation;
let me: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  me = await organisation.addPerson();
});

const exists = badRequest('A custom emoji with this name already exists.');

const add = (person: Person, name: string, ...parts: readonly Part[]): Promise<Reply> =>
  person.api.send('POST', `/realm/emoji/${encodeURIComponent(name)}`, multipart(...parts));

interface ListedEmoji {
  readonly id: string;
  readonly name: string;
  readonly source_url: string;
}

async function listed(): Promise<ListedEmoji[]> {
  const { body } = await me.api.get('/realm/emoji');
  return Object.values(body['emoji'] as Record<string, ListedEmoji>); // As the endpoint declares.
}

const storedFiles = (): Promise<string[]> =>
  readdir(path.join(folder.path, 'files', 'emoji', String(organisation.id)));

const fetchPicture = (address: string, method = 'GET', range?: string): Promise<Reply> =>
  sendRequest(system.gatewayUrl + address, {
    method,
    headers: { host: organisation.host, ...(range !== undefined && { range }) },
  });

/** The beginning of a PNG of this size. */
function png(width: number, height: number): Buffer {
  const start = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAAAAAAACAYAAAA=', 'base64');
  start.writeUInt32BE(width, 16);
  start.writeUInt32BE(height, 20);
  return start;
}

describe('POST /realm/emoji/{emoji_name}', () => {
  it('adds an emoji, and responds with the envelope alone', async () => {
    const reply = await add(me, 'mascot', picture);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ result: 'success', msg: '' });
    expect(await listed()).toMatchObject([
      { name: 'mascot', still_url: null, deactivated: false, author_id: me.id },
    ]);
  });

  it('makes the emoji available for statuses', async () => {
    await add(me, 'mascot', picture);
    const [emoji] = await listed();
    expect(await me.api.post('/users/me/status', { emoji_name: 'mascot' })).toMatchObject(success);
    expect((await me.api.get(`/users/${me.id}/status`)).body['status']).toEqual({
      emoji_name: 'mascot',
      emoji_code: emoji?.id,
      reaction_type: 'realm_emoji',
    });
  });

  it('normalizes the name', async () => {
    expect(await add(me, ' Our Mascot', picture)).toMatchObject(success);
    expect(await listed()).toMatchObject([{ name: 'our_mascot' }]);
    expect(await add(me, 'our_mascot', picture)).toMatchObject(exists);
  });

  it.each([
    [' ', 'Emoji name is missing'],
    [
      'mäscot',
      'Emoji names may only have letters, digits, dashes and underscores, and end with a letter or digit.',
    ],
    [
      'mascot_',
      'Emoji names may only have letters, digits, dashes and underscores, and end with a letter or digit.',
    ],
    ['a\0b', 'emoji_name has invalid format'],
  ])('rejects the name %j', async (name, msg) => {
    expect(await add(me, name, picture)).toMatchObject(badRequest(msg));
    expect(await listed()).toEqual([]);
  });

  it('accepts a name of 100 characters, and rejects a longer one', async () => {
    expect(await add(me, 'x'.repeat(100), picture)).toMatchObject(success);
    const reply = await add(me, 'x'.repeat(101), picture);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(await listed()).toHaveLength(1);
  });

  it('rejects animations with too many frames, or with a frame that is too large', async () => {
    const frames = (count: number, side = 1) =>
      filePart('a.gif', animatedGif(Array.from({ length: count }, () => [1, side] as const)));
    expect(await add(me, 'long', frames(501))).toMatchObject(
      badRequest('Emoji images may have at most 500 frames.'),
    );
    expect(await add(me, 'large', frames(1, 65_000))).toMatchObject(
      badRequest('Emoji images may be at most 2048 pixels wide and high.'),
    );
    expect(await add(me, 'fitting', frames(500, 2048))).toMatchObject(success);
    expect(await listed()).toMatchObject([{ name: 'fitting' }]);
  });

  it('rejects guests', async () => {
    const guest = await organisation.addPerson({ role: roles.guest });
    expect(await add(guest, 'mascot', picture)).toMatchObject(
      badRequest('Not allowed for guest users'),
    );
  });

  it('accepts bots', async () => {
    const bot = await organisation.addPerson({ isBot: true });
    expect(await add(bot, 'mascot', picture)).toMatchObject(success);
  });

  it.each(['smile', 'zulip'])('reserves the built-in name %s for administrators', async (name) => {
    expect(await add(me, name, picture)).toMatchObject(
      badRequest('Only administrators may give a custom emoji a built-in name.'),
    );
    const admin = await organisation.addPerson({ role: roles.administrator });
    expect(await add(admin, name, picture)).toMatchObject(success);
  });

  it('rejects a name in use, until its emoji is deactivated', async () => {
    expect(await add(me, 'mascot', picture)).toMatchObject(success);
    expect(await add(me, 'mascot', picture)).toMatchObject(exists);
    await me.api.delete('/realm/emoji/mascot');
    expect(await add(me, 'mascot', picture)).toMatchObject(success);
    expect(await listed()).toMatchObject([{ deactivated: true }, { deactivated: false }]);
  });

  it('accepts a name once for concurrent requests', async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => add(me, 'mascot', picture)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ status }) => status !== 200)).toMatchObject([exists, exists, exists]);
    expect(await listed()).toHaveLength(1);
    expect(await storedFiles()).toHaveLength(1);
  });

  it('notes the picture for its removal until the emoji is added', async () => {
    const noted = async () => {
      const files = await system.database.database.prisma.removedFile.findMany({
        where: { key: { startsWith: `emoji/${organisation.id}/` } },
      });
      return files.map(({ key }) => path.basename(key));
    };
    const bound = await boundStatements(system, {
      table: 'realm_emoji',
      operation: 'INSERT',
      most: 0,
    });
    expect(await add(me, 'mascot', picture)).toMatchObject({ status: 503 });
    await bound.lift();
    const left = await storedFiles();
    expect(left).toHaveLength(1);
    expect(await noted()).toEqual(left);
    expect(await add(me, 'mascot', picture)).toMatchObject(success);
    expect(await storedFiles()).toHaveLength(2);
    expect(await noted()).toEqual(left);
  });

  it('requires exactly one file', async () => {
    const oneFile = badRequest('You must upload exactly one file.');
    expect(await add(me, 'mascot')).toMatchObject(oneFile);
    expect(await add(me, 'mascot', picture, picture)).toMatchObject(oneFile);
    expect(await me.api.post('/realm/emoji/mascot')).toMatchObject(oneFile);
  });

  it.each([
    ['text', Buffer.from('a mascot')],
    ['nothing', Buffer.alloc(0)],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['a damaged image', gif.subarray(0, 7)],
  ])('rejects %s', async (_what, body) => {
    expect(await add(me, 'mascot', filePart('mascot.gif', body, 'image/gif'))).toMatchObject(
      badRequest('Emoji files must be a PNG, JPEG, GIF or WebP image.'),
    );
  });

  it('accepts a file of 5 MiB, and rejects a larger one', async () => {
    const padded = (size: number) => Buffer.concat([gif, Buffer.alloc(size - gif.length)]);
    expect(await add(me, 'first', filePart('a.gif', padded(5 * MEBIBYTE)))).toMatchObject(success);
    expect(await add(me, 'second', filePart('b.gif', padded(5 * MEBIBYTE + 1)))).toMatchObject(
      badRequest('Emoji files may have at most 5 MiB.'),
    );
  });

  it('accepts an image of 2048 pixels, and rejects a larger one', async () => {
    expect(await add(me, 'first', filePart('a.png', png(2048, 2048)))).toMatchObject(success);
    expect(await add(me, 'second', filePart('b.png', png(1, 2049)))).toMatchObject(
      badRequest('Emoji images may be at most 2048 pixels wide and high.'),
    );
  });

  it('reports unknown parameters', async () => {
    const reply = await add(me, 'mascot', picture, {
      disposition: 'name="colour"',
      body: 'red',
    });
    expect(reply.body['ignored_parameters_unsupported']).toEqual(['colour']);
  });
});

describe('GET /user_avatars/{realm_id}/emoji/images/{file_name}', () => {
  async function addedAddress(): Promise<string> {
    await add(me, 'mascot', picture);
    const [emoji] = await listed();
    return emoji?.source_url ?? '';
  }

  it('returns the picture without a sign-in, with caching headers', async () => {
    const reply = await fetchPicture(await addedAddress());
    expect(reply).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'image/gif',
        'content-length': String(gif.length),
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
      text: gif.toString(),
    });
  });

  it('returns a range', async () => {
    const reply = await fetchPicture(await addedAddress(), 'GET', 'bytes=0-5');
    expect(reply).toMatchObject({ status: 206, text: 'GIF89a' });
  });

  it('returns the picture of a deactivated emoji', async () => {
    const address = await addedAddress();
    await me.api.delete('/realm/emoji/mascot');
    expect(await fetchPicture(address)).toMatchObject({ status: 200 });
    expect(await fetchPicture(address, 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  it('rejects other addresses', async () => {
    const address = await addedAddress();
    const other = address.replace(/[\w-](?=-\d+\.gif$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    const stranger = address.replace(`/${organisation.id}/`, `/${organisation.id + 1}/`);
    const above = address.slice(0, address.lastIndexOf('/'));
    const addresses = [
      other,
      stranger,
      `${address}x`,
      above,
      `${above}/..%2f..%2fsecret`,
      `${above}/`,
    ];
    for (const wrong of addresses) {
      expect(await fetchPicture(wrong)).toMatchObject({
        status: 404,
        body: { result: 'error', code: 'NOT_FOUND' },
      });
      expect(await fetchPicture(wrong, 'HEAD')).toMatchObject({ status: 404 });
    }
  });
});
