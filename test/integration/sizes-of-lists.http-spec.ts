import { describe, expect, it } from '@jest/globals';
import type { Reply } from '#test/http-request';
import { Correspondence } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

/** Each of these 10,000 characters takes six bytes of JSON. */
const controls = '\u0001'.repeat(10_000);
/** Four bytes of UTF-8 each. */
const emoji = '😀'.repeat(10_000);
const MAX_BYTES = 4_000_000;
/** The envelope. */
const SLACK = 1000;

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));

interface TextList {
  readonly path: string;
  readonly add: (person: Person, content: string) => Promise<Reply>;
  readonly edit: (person: Person, id: number, content: string) => Promise<Reply>;
  readonly idOf: (reply: Reply) => number;
  /** Stores entries as a release without the limit did. */
  readonly store: (person: Person, contents: readonly string[]) => Promise<unknown>;
}

const future = () => Math.floor(Date.now() / 1000) + 100_000;
const prisma = () => system.database.database.prisma;
const draft = (content: string) => ({ type: '', to: [], topic: '', content });

const lists: readonly [string, TextList][] = [
  [
    'drafts',
    {
      path: '/drafts',
      add: ({ api }, content) => api.post('/drafts', { drafts: [draft(content)] }),
      edit: ({ api }, id, content) => api.patch(`/drafts/${id}`, { draft: draft(content) }),
      idOf: ({ body }) => Number((body['ids'] as readonly number[])[0]),
      store: ({ id: userId }, contents) =>
        prisma().draft.createMany({
          data: contents.map((content) => {
            return { userId, kind: '', toIds: [], topic: '', content, editedAt: new Date() };
          }),
        }),
    },
  ],
  [
    'saved snippets',
    {
      path: '/saved_snippets',
      add: ({ api }, content) => api.post('/saved_snippets', { title: 'Title', content }),
      edit: ({ api }, id, content) => api.patch(`/saved_snippets/${id}`, { content }),
      idOf: ({ body }) => Number(body['saved_snippet_id']),
      store: ({ id: userId }, contents) =>
        prisma().savedSnippet.createMany({
          data: contents.map((content) => ({ userId, title: 'Title', content })),
        }),
    },
  ],
  [
    'scheduled messages',
    {
      path: '/scheduled_messages',
      add: ({ id, api }, content) =>
        api.post('/scheduled_messages', {
          type: 'direct',
          to: [id],
          content,
          scheduled_delivery_timestamp: future(),
        }),
      edit: ({ api }, id, content) => api.patch(`/scheduled_messages/${id}`, { content }),
      idOf: ({ body }) => Number(body['scheduled_message_id']),
      store: ({ id: userId }, contents) =>
        prisma().scheduledMessage.createMany({
          data: contents.map((content) => ({
            userId,
            toIds: [userId],
            topic: '',
            content,
            rendered: content,
            client: '',
            isReadBySender: true,
            deliverAt: new Date(future() * 1000),
            dueAt: new Date(future() * 1000),
          })),
        }),
    },
  ],
];

const full = { status: 400, body: { code: 'LIMIT_REACHED' } };

describe.each(lists)('The %s of an account', (_, { path, add, edit, idOf, store }) => {
  it('have a maximum size as JSON, and so has the answer with all of them', async () => {
    const person = await mail.organisation.addPerson();
    const short = idOf(await add(person, 'Short'));
    let count = 0;
    let reply = await add(person, controls);
    for (; reply.status === 200 && count < 100; count += 1) reply = await add(person, controls);
    expect(reply).toMatchObject(full);
    expect(await edit(person, short, controls)).toMatchObject(full);
    const { status, text } = await person.api.get(path);
    expect(status).toBe(200);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeGreaterThan(0.9 * MAX_BYTES);
    expect(bytes).toBeLessThan(MAX_BYTES + SLACK);
    expect((await edit(person, short, 'Other')).status).toBe(200);
  });

  it('are listed as far as an answer may have them if a release without the limit has stored more', async () => {
    const person = await mail.organisation.addPerson();
    await store(
      person,
      Array.from({ length: 200 }, () => emoji),
    );
    const { status, text } = await person.api.get(path);
    expect(status).toBe(200);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeGreaterThan(0.9 * MAX_BYTES);
    expect(bytes).toBeLessThan(MAX_BYTES + SLACK);
  });
});

describe('The storage of a bot', () => {
  const put = ({ api }: Person, storage: Readonly<Record<string, string>>): Promise<Reply> =>
    api.send('PUT', '/bot_storage', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ storage }),
    });

  it('has a maximum size in bytes, and so has the answer with all of it', async () => {
    const person = await mail.organisation.addPerson({ isBot: true });
    const value = '😀'.repeat(200_000);
    const statuses: number[] = [];
    for (let index = 0; index < 13; index += 1) {
      statuses.push((await put(person, { [index]: value })).status);
    }
    expect(statuses).toEqual(statuses.map((_, index) => (index < 12 ? 200 : 400)));
    const before = await person.api.get('/bot_storage', { keys: [] });
    const { text, headers } = await person.api.get('/bot_storage');
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeLessThan(10_001_000);
    // A call, and one more for each 256 kB.
    const remaining = (given: typeof headers) => Number(given['x-ratelimit-remaining']);
    expect(remaining(before.headers) - remaining(headers)).toBe(1 + Math.floor(bytes / 262_144));
  });

  it('is read by keys if a release with a higher limit has stored more', async () => {
    const { id: userId, api } = await mail.organisation.addPerson({ isBot: true });
    const value = '😀'.repeat(250_000);
    await prisma().botStorageEntry.createMany({
      data: Array.from({ length: 20 }, (_, index) => ({ userId, key: String(index), value })),
    });
    expect(await api.get('/bot_storage')).toMatchObject({
      status: 400,
      body: { msg: 'The storage has more than 10000000 bytes. Give the keys to read.' },
    });
    expect((await api.get('/bot_storage', { keys: ['1', '2'] })).body).toMatchObject({
      storage: { 1: value, 2: value },
    });
  });
});
