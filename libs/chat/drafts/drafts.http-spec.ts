import { describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { EventClient } from '#test/event-client';
import { Correspondence } from '#test/messages-organisation';
import type { Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const PATH = '/drafts';

const system = useGateway();
const mail = useFixture(() => Correspondence.in(system));
const ada = useFixture(() => mail.organisation.addPerson());
const bea = useFixture(() => mail.organisation.addPerson());

const draft = (fields: object = {}) => ({
  type: '',
  to: [],
  topic: '',
  content: 'Hello',
  timestamp: 1_700_000_000,
  ...fields,
});
const save = ({ api }: Person, ...drafts: object[]) => api.post(PATH, { drafts });
const add = async (person: Person, fields: object = {}) =>
  ((await save(person, draft(fields))).body['ids'] as number[])[0] ?? 0;
const edit = ({ api }: Person, id: number, fields: object) =>
  api.patch(`${PATH}/${id}`, { draft: draft(fields) });
const remove = ({ api }: Person, id: number) => api.delete(`${PATH}/${id}`);
const list = async ({ api }: Person) => {
  const { body } = await api.get(PATH);
  expect(body['count']).toBe((body['drafts'] as object[]).length);
  return body['drafts'] as { id: number; timestamp: number }[];
};
const notFound = {
  status: 404,
  body: { result: 'error', msg: 'Draft does not exist', code: 'BAD_REQUEST' },
};

describe('the drafts of an account', () => {
  it('are listed by their last edit, as in the state, and reach the owner only', async () => {
    const person = await mail.organisation.addPerson();
    const channel = await mail.addChannel([person]);
    const client = await EventClient.register(person.api, { fetch_event_types: ['drafts'] });
    const other = await EventClient.register(bea.api, { event_types: ['drafts'] });
    expect(client.state['drafts']).toEqual([]);
    const { body } = await save(
      person,
      draft({ type: 'stream', to: [channel.id], topic: 'lunch' }),
      draft({ type: 'private', to: [bea.id, ada.id], topic: 'ignored', timestamp: 1_700_000_002 }),
      draft({ to: [17], timestamp: 1_700_000_001.7 }),
    );
    const [first = 0, second = 0, third = 0] = body['ids'] as number[];
    const stored = [
      { ...draft({ type: 'stream', to: [channel.id], topic: 'lunch' }), id: first },
      {
        ...draft({ type: 'private', to: [bea.id, ada.id], timestamp: 1_700_000_002 }),
        id: second,
      },
      { ...draft({ timestamp: 1_700_000_001 }), id: third },
    ];
    expect(await list(person)).toEqual([stored[1], stored[2], stored[0]]);
    const edited = draft({ content: 'Bye', timestamp: 1_700_000_009 });
    expect(await edit(person, first, edited)).toMatchObject(success);
    expect(await remove(person, second)).toMatchObject(success);
    expect(await client.drain()).toMatchObject([
      { type: 'drafts', op: 'add', drafts: stored },
      { type: 'drafts', op: 'update', draft: { ...edited, id: first } },
      { type: 'drafts', op: 'remove', draft_id: second },
    ]);
    expect(await other.drain()).toEqual([]);
    const state = await EventClient.register(person.api, { fetch_event_types: ['drafts'] });
    expect(state.state['drafts']).toEqual(await list(person));
  });

  it('have the time of the request without a timestamp', async () => {
    const before = Math.floor(Date.now() / 1000);
    const id = await add(ada, { timestamp: undefined });
    const found = (await list(ada)).find((one) => one.id === id);
    expect(found?.timestamp).toBeGreaterThanOrEqual(before);
  });

  it('belong to the account', async () => {
    const id = await add(ada);
    for (const unknown of [id, 2_147_483_647]) {
      expect(await edit(bea, unknown, {})).toMatchObject(notFound);
      expect(await remove(bea, unknown)).toMatchObject(notFound);
    }
    expect(await list(ada)).toContainEqual(expect.objectContaining({ id }));
  });

  it('are deleted once when requests meet', async () => {
    const id = await add(ada);
    const replies = await Promise.all([1, 2, 3].map(() => remove(ada, id)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });

  it('are at most 1,000, also when requests meet', async () => {
    const person = await mail.organisation.addPerson();
    await system.database.database.prisma.draft.createMany({
      data: Array.from({ length: 950 }, () => ({
        userId: person.id,
        kind: '',
        toIds: [],
        topic: '',
        content: 'Hello',
        editedAt: new Date(),
      })),
    });
    const thirty = Array.from({ length: 30 }, () => draft());
    const replies = await Promise.all([save(person, ...thirty), save(person, ...thirty)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(await save(person, ...thirty.slice(0, 20))).toMatchObject(success);
    expect(await save(person, draft())).toMatchObject({
      status: 400,
      body: { code: 'LIMIT_REACHED' },
    });
    expect(await list(person)).toHaveLength(1000);
  });
});

describe('POST /drafts', () => {
  it('saves nothing for an empty list', async () => {
    expect((await ada.api.post(PATH)).body).toMatchObject({ ids: [] });
  });

  it('keeps none of the drafts if one is refused', async () => {
    const before = await list(ada);
    expect(await save(ada, draft(), draft({ type: 'stream', to: [] }))).toMatchObject(
      badRequest('Must specify exactly 1 channel ID for channel messages'),
    );
    expect(await list(ada)).toEqual(before);
  });

  it('refuses destinations that the caller may not see', async () => {
    const hidden = await mail.addChannel([bea], { isPrivate: true });
    const foreign = await (await Correspondence.in(system)).organisation.addPerson();
    const channel = badRequest('Invalid channel ID');
    const refusals: [object, object][] = [
      [{ type: 'stream', to: [hidden.id] }, channel],
      [{ type: 'stream', to: [2_147_483_648] }, channel],
      [{ type: 'private', to: [foreign.id] }, badRequest(`Invalid user ID ${foreign.id}`)],
      [
        { type: 'stream', to: [1, 2] },
        badRequest('Must specify exactly 1 channel ID for channel messages'),
      ],
    ];
    const id = await add(ada);
    for (const [fields, refusal] of refusals) {
      expect(await save(ada, draft(fields))).toMatchObject(refusal);
      expect(await edit(ada, id, fields)).toMatchObject(refusal);
    }
  });

  it.each([
    { type: 'other' },
    { to: 'x' },
    { to: Array.from({ length: 1001 }, (_, index) => index) },
    { topic: 'a\0b' },
    { content: ' ' },
    { content: 'a\0b' },
    { timestamp: -1 },
    { timestamp: 1e15 },
  ])('refuses %j', async (fields) => {
    expect(await save(ada, draft(fields))).toMatchObject({ status: 400 });
  });
});
