import { beforeAll, describe, expect, it } from '@jest/globals';
import { badRequest, notSignedIn, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import type { Reply } from '#test/http-request';
import { addOrganisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const notFound = {
  status: 404,
  body: { result: 'error', msg: 'Saved snippet does not exist.', code: 'BAD_REQUEST' },
};

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));

const answer = ({ status, body }: Reply) => ({ status, body });

const list = async ({ api }: Person): Promise<unknown> =>
  (await api.get('/saved_snippets')).body['saved_snippets'];

async function save(person: Person, title = 'Title', content = 'Content'): Promise<number> {
  const reply = await person.api.post('/saved_snippets', { title, content });
  expect(reply.status).toBe(200);
  return Number(reply.body['saved_snippet_id']);
}

const pathOf = (id: number | string) => `/saved_snippets/${id}`;

describe('All endpoints of saved snippets', () => {
  it.each([
    ['GET', '/saved_snippets'],
    ['POST', '/saved_snippets'],
    ['PATCH', '/saved_snippets/1'],
    ['DELETE', '/saved_snippets/1'],
  ])('requires authentication: %s %s', async (method, path) => {
    const reply = await system.anonymous().send(method, path);
    expect(reply).toMatchObject(notSignedIn);
  });

  it.each(['PATCH', 'DELETE'])(
    'answers 404 for an id that is not a number or has no snippet: %s',
    async (method) => {
      const alice = system.api('alice');
      expect(await alice.send(method, pathOf('spam'))).toMatchObject({
        status: 404,
        body: { code: 'NOT_FOUND' },
      });
      expect(answer(await alice.send(method, pathOf('2147483647')))).toEqual(notFound);
      expect(answer(await alice.send(method, pathOf('2147483648')))).toEqual(notFound);
    },
  );

  it('does not find the snippets of another user', async () => {
    const [writer, other] = [await organisation.addPerson(), await organisation.addPerson()];
    const id = await save(writer);
    expect(answer(await other.api.patch(pathOf(id), { title: 'Mine' }))).toEqual(notFound);
    expect(answer(await other.api.patch(pathOf(id)))).toEqual(notFound);
    expect(answer(await other.api.delete(pathOf(id)))).toEqual(notFound);
    expect(await list(other)).toEqual([]);
    expect(await list(writer)).toMatchObject([{ id, title: 'Title' }]);
  });

  it.each(['guest', 'alice_bot', 'owner'])('accepts the caller %s', async (name) => {
    const api = system.api(name);
    const reply = await api.post('/saved_snippets', { title: 'T', content: 'C' });
    const path = pathOf(Number(reply.body['saved_snippet_id']));
    expect(await api.patch(path, { title: 'U' })).toMatchObject(success);
    expect((await api.get('/saved_snippets')).body['saved_snippets']).toMatchObject([
      { title: 'U', content: 'C' },
    ]);
    expect(await api.delete(path)).toMatchObject(success);
  });

  it('lists unsupported parameters', async () => {
    const person = await organisation.addPerson();
    const ignored = { ...success.body, ignored_parameters_unsupported: ['spam'] };
    const created = await person.api.post('/saved_snippets', { title: 'T', content: 'C', spam: 1 });
    expect(created.body).toMatchObject(ignored);
    const path = pathOf(Number(created.body['saved_snippet_id']));
    expect((await person.api.get('/saved_snippets', { spam: 1 })).body).toMatchObject(ignored);
    expect((await person.api.patch(path, { spam: 1 })).body).toEqual(ignored);
    expect((await person.api.delete(path, { spam: 1 })).body).toEqual(ignored);
  });
});

describe('GET /saved_snippets', () => {
  it('returns the snippets of the caller with all fields', async () => {
    const reply = await system.api('alice').get('/saved_snippets');
    expect(reply.body).toEqual({
      ...success.body,
      saved_snippets: [
        {
          id: system.demo.snippets['alice_1'],
          title: expect.any(String),
          content: expect.any(String),
          date_created: Date.parse('2026-01-05T09:00:00Z') / 1000,
        },
      ],
    });
  });

  it('returns snippets in the order of creation', async () => {
    const person = await organisation.addPerson();
    const ids = [await save(person), await save(person), await save(person)];
    await person.api.patch(pathOf(ids[0] ?? 0), { title: 'Edited' });
    expect(await list(person)).toMatchObject(ids.map((id) => ({ id })));
  });
});

describe('POST /saved_snippets', () => {
  it('stores the trimmed texts and the creation time', async () => {
    const person = await organisation.addPerson();
    const before = Math.floor(Date.now() / 1000);
    const reply = await person.api.post('/saved_snippets', {
      title: '  Ein Gruß 🙂 ',
      content: '\n**Hi**\n\nthere  ',
    });
    const id = reply.body['saved_snippet_id'];
    expect(answer(reply)).toEqual({
      status: 200,
      body: { ...success.body, saved_snippet_id: expect.any(Number) },
    });
    const kept = (await list(person)) as { date_created: number }[];
    expect(kept).toEqual([
      { id, title: 'Ein Gruß 🙂', content: '**Hi**\n\nthere', date_created: expect.any(Number) },
    ]);
    expect(kept[0]?.date_created).toBeGreaterThanOrEqual(before);
    expect(kept[0]?.date_created).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
  });

  it.each(['title', 'content'])('requires %s', async (name) => {
    const fields = { title: 'T', content: 'C', [name]: undefined };
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
    expect(answer(await system.api('bob').post('/saved_snippets', sent))).toEqual({
      status: 400,
      body: {
        result: 'error',
        msg: `Missing '${name}' argument`,
        code: 'REQUEST_VARIABLE_MISSING',
        var_name: name,
      },
    });
  });

  it('accepts two snippets with equal texts', async () => {
    const person = await organisation.addPerson();
    const ids = await Promise.all([save(person), save(person)]);
    expect(new Set(ids).size).toBe(2);
  });
});

const texts: [string, number][] = [
  ['title', 60],
  ['content', 10_000],
];

describe.each(texts)('the %s of a snippet', (name, limit) => {
  const smile = '🙂';
  const person = useFixture(() => organisation.addPerson());
  let path: string;

  beforeAll(async () => {
    path = pathOf(await save(person));
  });

  const send = (value: string): Promise<Reply[]> =>
    Promise.all([
      person.api.post('/saved_snippets', { title: 'T', content: 'C', [name]: value }),
      person.api.patch(path, { [name]: value }),
    ]);

  it(`accepts at most ${limit} characters`, async () => {
    const replies = await send(` ${smile.repeat(limit)}\n`);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await list(person)).toContainEqual(
      expect.objectContaining({ [name]: smile.repeat(limit) }),
    );
    const tooLong = badRequest(`${name} is too long (limit: ${limit} characters)`);
    const refusals = await send('a'.repeat(limit + 1));
    expect(refusals.map(answer)).toEqual([tooLong, tooLong]);
  });

  it.each(['', ' \n\t '])('must not be blank: %j', async (blank) => {
    const refusals = await send(blank);
    const isBlank = badRequest(`${name} cannot be blank`);
    expect(refusals.map(answer)).toEqual([isBlank, isBlank]);
  });

  it('rejects NUL, and in a title an unpaired surrogate', async () => {
    const refusals = await send('a\0b');
    const malformed = badRequest(`${name} has invalid format`);
    expect(refusals.map(answer)).toEqual([malformed, malformed]);
    const half = await person.api.send('PATCH', path, {
      headers: { 'content-type': 'application/json' },
      body: `{"${name}":"\\ud83d"}`,
    });
    expect(half).toMatchObject(name === 'title' ? malformed : success);
  });
});

describe('PATCH /saved_snippets/{saved_snippet_id}', () => {
  it.each<[Readonly<Record<string, string>>, { title: string; content: string }]>([
    [{ title: ' New ' }, { title: 'New', content: 'Content' }],
    [{ content: ' New ' }, { title: 'Title', content: 'New' }],
    [
      { title: 'New', content: 'Newer' },
      { title: 'New', content: 'Newer' },
    ],
    [{}, { title: 'Title', content: 'Content' }],
  ])('changes only the given fields: %j', async (fields, kept) => {
    const person = await organisation.addPerson();
    const id = await save(person);
    const client = await EventClient.register(person.api);
    expect(answer(await person.api.patch(pathOf(id), fields))).toEqual(success);
    expect(await list(person)).toEqual([{ id, ...kept, date_created: expect.any(Number) }]);
    expect(await client.drain()).toHaveLength(Object.keys(fields).length === 0 ? 0 : 1);
  });

  it('keeps concurrent edits of title and content', async () => {
    const person = await organisation.addPerson();
    const id = await save(person);
    const edits = Array.from({ length: 6 }, () => [{ title: 'New' }, { content: 'Newer' }]).flat();
    const replies = await Promise.all(edits.map((edit) => person.api.patch(pathOf(id), edit)));
    expect(replies.map(answer)).toEqual(edits.map(() => success));
    expect(await list(person)).toMatchObject([{ title: 'New', content: 'Newer' }]);
  });
});

describe('DELETE /saved_snippets/{saved_snippet_id}', () => {
  it('deletes only the given snippet', async () => {
    const person = await organisation.addPerson();
    const [id, other] = [await save(person), await save(person)];
    expect(answer(await person.api.delete(pathOf(id)))).toEqual(success);
    expect(answer(await person.api.delete(pathOf(id)))).toEqual(notFound);
    expect(answer(await person.api.patch(pathOf(id), { title: 'T' }))).toEqual(notFound);
    expect(await list(person)).toMatchObject([{ id: other }]);
  });

  it('succeeds once for concurrent requests', async () => {
    const person = await organisation.addPerson();
    const id = await save(person);
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => person.api.delete(pathOf(id))),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404, 404]);
  });
});
