import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useGateway } from '#test/start-gateway';
import type { Person } from '#test/organisation';
import { useFixture } from '#test/use-fixture';
import { MessageModel, type ModelRequest, type ModelTerm } from './message-model.fixture.js';
import { createWorld, TOPICS, WORDS } from './message-world.fixture.js';

const SEED = 20_261_123;
const REQUESTS = 400;

const system = useGateway();
const world = useFixture(() => createWorld(system, generator(SEED)));

/** A small generator of numbers, so that the history is the same in each run. */
function generator(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

const anyTerm = (): fc.Arbitrary<ModelTerm> => {
  const ids = [...world.people, world.guest].map(({ id }) => id);
  const channels = world.channels.flatMap(({ id, name }) => [id, name, name.toUpperCase()]);
  const one = (operator: string, operands: readonly unknown[]) =>
    fc.constantFrom(...operands).map((operand) => ({ operator, operand }));
  return fc
    .tuple(
      fc.oneof(
        { weight: 3, arbitrary: one('channel', channels) },
        { weight: 2, arbitrary: one('topic', TOPICS) },
        { weight: 3, arbitrary: one('is', ['dm', 'starred', 'unread', 'mentioned', 'alerted']) },
        one('is', ['resolved', 'muted', 'followed']),
        one('channels', ['public', 'web-public', 'archived']),
        one('dm-including', ids),
        one('sender', ids),
        one('mentions', ids),
        one('has', ['link', 'reaction', 'attachment']),
        one('in', ['home', 'all']),
        one(
          'id',
          world.messages.map(({ id }) => id),
        ),
        one('near', ['5']),
        one('search', [...WORDS, 'cook soup', '"soup salad"', '"cook"', 'tea', 'LUNCH soup']),
        fc
          .subarray(ids, { maxLength: 3 })
          .map((operand) => ({ operator: 'dm' as string, operand: operand as unknown })),
      ),
      fc.integer({ min: 0, max: 4 }).map((number) => number === 0),
    )
    .map(([term, negated]) => ({ ...term, negated }));
};

const anyRequest = (): fc.Arbitrary<ModelRequest> =>
  fc
    .record({
      anchor: fc.oneof(
        fc.constantFrom('newest' as const, 'oldest' as const, 'first_unread' as const),
        fc.constantFrom(...world.messages.map(({ id }) => id)),
      ),
      num_before: fc.constantFrom(0, 1, 5, 500),
      num_after: fc.constantFrom(0, 1, 5, 500),
      include_anchor: fc.boolean(),
      narrow: fc.array(anyTerm(), { maxLength: 3 }),
    })
    .map((request) => ({
      ...request,
      include_anchor: request.include_anchor || (request.num_before > 0 && request.num_after > 0),
    }));

async function answerOf(reader: Person, request: ModelRequest) {
  const { status, body } = await reader.api.get('/messages', { ...request });
  if (status !== 200) return { refused: body['msg'], messages: [] };
  const { messages, anchor, found_anchor, found_oldest, found_newest } = body;
  const ids = (messages as { id: number }[]).map(({ id }) => id);
  return { messages: ids, anchor, found_anchor, found_oldest, found_newest };
}

function expectedOf(reader: Person, request: ModelRequest) {
  const model = new MessageModel(world, reader);
  const refused = model.refusalOf(request.narrow);
  return refused === null ? model.answer(request) : { refused, messages: [] };
}

describe('GET /messages', () => {
  it('answers as a naive model does, for any narrow and anchor', async () => {
    let answered = 0;
    let found = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest(), fc.nat(2), async (request, number) => {
        const reader = [world.people[0], world.people[1], world.guest][number] ?? world.guest;
        const answer = await answerOf(reader, request);
        expect(answer).toEqual(expectedOf(reader, request));
        answered += Number(!('refused' in answer));
        found += Number(answer.messages.length > 0);
      }),
      { numRuns: REQUESTS, seed: SEED },
    );
    expect(answered).toBeGreaterThan(REQUESTS / 2);
    expect(found).toBeGreaterThan(REQUESTS / 5);
  });
});
