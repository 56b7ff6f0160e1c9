import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { EventType, Merging } from '#events/declarations';
import { eventScopes, type LoggedEvent } from '#events/log';
import { eventIdAt, startIdAt } from '#events/queues';
import { optionsWith } from '#test/queue-options';
import { eventTexts } from './answer.rules.js';
import { loggedEvent } from './logged-event.fixture.js';
import { WindowedEvent } from './windowed-event.js';

const options = optionsWith();
const queue = { id: 'mine', userId: 5, options };

const event = (
  position: number,
  more: Partial<LoggedEvent> = {},
  type: Partial<EventType> = {},
): WindowedEvent =>
  new WindowedEvent(loggedEvent(position, { userIds: [5], ...more }), { type: 'thing', ...type });

type Members = Readonly<Record<string, unknown>>;

const answer = (events: readonly WindowedEvent[], lastId = startIdAt(0)): Members[] =>
  eventTexts(queue, lastId, events).texts.map((text) => JSON.parse(text) as Members);

const valuesOf = (body: Members): unknown[] =>
  Array.isArray(body['values']) ? body['values'] : [body['value']];

/** Merges events with equal keys, and those that have none. A key of null stays alone. */
const merging: Merging = {
  keyOf: ({ key = '' }) => key as string | null,
  sizeOf: () => 1,
  merge: (bodies) => ({ key: bodies[0]?.['key'], values: bodies.flatMap(valuesOf) }),
};

describe(eventTexts.name, () => {
  it('puts the type first and the id last', () => {
    expect(eventTexts(queue, startIdAt(0), [event(1)]).texts).toEqual([
      `{"type":"thing","op":"add","value":1,"id":${eventIdAt(1)}}`,
    ]);
  });

  it('leaves out what the client has', () => {
    expect(answer([event(1), event(2)], eventIdAt(1))).toMatchObject([{ value: 2 }]);
    expect(answer([event(1)], startIdAt(1))).toEqual([]);
  });

  it('gives several forms ascending ids, and continues in the middle', () => {
    const forms = { formsOf: () => [{ part: 1 }, { part: 2 }, { part: 3 }] };
    const first = eventIdAt(1);
    expect(answer([event(1, {}, forms)])).toEqual([
      { type: 'thing', part: 1, id: first },
      { type: 'thing', part: 2, id: first + 1 },
      { type: 'thing', part: 3, id: first + 2 },
    ]);
    expect(answer([event(1, {}, forms)], first + 1)).toMatchObject([{ part: 3 }]);
  });

  it('adds the flags of the reader, and the own name of the client that caused the event', () => {
    const flags = [{ flags: ['read'], userIds: [5, 6] }];
    const hasFlags = { hasFlags: true } as const;
    const origin = { queueId: 'mine', localId: 'a"b' };
    expect(answer([event(1, { flags, origin }, hasFlags)])).toMatchObject([
      { flags: ['read'], local_message_id: 'a"b' },
    ]);
    const foreign = event(1, { flags: null, origin: { ...origin, queueId: 'other' } }, hasFlags);
    const [text = ''] = eventTexts(queue, startIdAt(0), [foreign]).texts;
    expect(JSON.parse(text)).toMatchObject({ flags: [] });
    expect(text).not.toContain('local_message_id');
  });

  it('merges undelivered neighbours, and not those that the client has', () => {
    const all = [1, 2, 3].map((position) => event(position, {}, { merging }));
    expect(answer(all)).toEqual([{ type: 'thing', values: [1, 2, 3], id: eventIdAt(3) }]);
    expect(answer(all, eventIdAt(1))).toEqual([
      { type: 'thing', values: [2, 3], id: eventIdAt(3) },
    ]);
    const between = event(2, { type: 'other' });
    expect(answer([event(1, {}, { merging }), between, event(3, {}, { merging })])).toHaveLength(3);
  });

  it('merges a run once, 10,000 items at most', () => {
    const merge = jest.fn(merging.merge);
    const type = { merging: { ...merging, merge, sizeOf: () => 100 } };
    const events = Array.from({ length: 250 }, (_, index) => event(index + 1, {}, type));
    expect(answer(events).map((merged) => valuesOf(merged).length)).toEqual([100, 100, 50]);
    expect(merge.mock.calls.map(([bodies]) => bodies.length)).toEqual([100, 100, 50]);
  });

  it('does not merge an event of more than 10,000 items', () => {
    const type = { merging: { ...merging, sizeOf: () => 10_001 } };
    expect(answer([event(1, {}, type), event(2, {}, type)])).toMatchObject([
      { value: 1 },
      { value: 2 },
    ]);
  });

  it('merges as if one pair after another were merged', () => {
    const key = fc.constantFrom(null, 'a', 'b');
    fc.assert(
      fc.property(fc.array(fc.record({ type: fc.constantFrom('x', 'y'), key })), (given) => {
        const pairwise: { type: string; key: string | null; values: number[]; id: number }[] = [];
        for (const [index, one] of given.entries()) {
          const last = pairwise.at(-1);
          const isAlike = last?.type === one.type && last.key === one.key && one.key !== null;
          const values = isAlike ? [...(pairwise.pop()?.values ?? []), index] : [index];
          pairwise.push({ ...one, values, id: eventIdAt(index + 1) });
        }
        const events = given.map(({ type, key: name }, index) =>
          event(index + 1, { type, body: { key: name, values: [index] } }, { type, merging }),
        );
        expect(answer(events)).toEqual(pairwise);
      }),
    );
  });

  it('returns at most 1,000 events', () => {
    const many = Array.from({ length: 1200 }, (_, index) => event(index + 1));
    expect(answer(many)).toHaveLength(1000);
  });

  it.each([
    [999, false],
    [1000, true],
  ])('of %d events is full: %s', (count, isFull) => {
    const events = Array.from({ length: count }, (_, index) => event(index + 1));
    expect(eventTexts(queue, startIdAt(0), events).isFull).toBe(isFull);
  });

  it('is full if 1,000 events are merged into one, because more may follow them', () => {
    const events = Array.from({ length: 1000 }, (_, index) => event(index + 1, {}, { merging }));
    const { texts, isFull } = eventTexts(queue, startIdAt(0), events);
    expect(texts).toHaveLength(1);
    expect(isFull).toBe(true);
  });

  it('has at most 1 MiB, or one event that is larger', () => {
    const texted = (position: number, characters: number) =>
      event(position, { body: { text: 'x'.repeat(characters) } });
    expect(answer([1, 2, 3, 4].map((position) => texted(position, 400_000)))).toHaveLength(2);
    expect(answer([texted(1, 10), texted(2, 2_000_000)])).toHaveLength(1);
    const { texts, isFull, bytes } = eventTexts(queue, startIdAt(0), [
      texted(1, 2_000_000),
      texted(2, 10),
    ]);
    expect(texts).toHaveLength(1);
    expect(isFull).toBe(true);
    expect(bytes).toBeGreaterThan(2_000_000);
  });

  it('counts the bytes of an answer, not its characters', () => {
    const large = { body: { text: 'é'.repeat(200_000) } };
    const events = [1, 2, 3, 4].map((position) => event(position, large));
    const { texts, isFull } = eventTexts(queue, startIdAt(0), events);
    expect(texts).toHaveLength(2);
    expect(isFull).toBe(true);
  });
});

describe(WindowedEvent.name, () => {
  const owner = { userId: 5, isGuest: false, keyGeneration: 1 };

  it.each([
    ['a listed account', {}, owner, true],
    ['another account', { userIds: [6] }, owner, false],
    ['everybody', { userIds: [], scope: eventScopes.all }, { ...owner, isGuest: true }, true],
    ['everybody but an excepted account', { scope: eventScopes.all, exceptIds: [5] }, owner, false],
    ['members', { userIds: [], scope: eventScopes.members }, owner, true],
    ['no guest', { userIds: [], scope: eventScopes.members }, { ...owner, isGuest: true }, false],
    ['a listed guest', { scope: eventScopes.members }, { ...owner, isGuest: true }, true],
    ['no listener', { userIds: [], scope: eventScopes.publicListeners }, owner, false],
  ])('is for %s', (_, more, reader, expected) => {
    expect(event(1, more).isFor(reader, options)).toBe(expected);
  });

  it('is for listeners to all public channels', () => {
    const listening = { ...options, allPublicStreams: true };
    const sut = event(1, { userIds: [], scope: eventScopes.publicListeners });
    expect(sut.isFor(owner, listening)).toBe(true);
    expect(sut.isFor({ ...owner, isGuest: true }, listening)).toBe(false);
  });

  it('is for queues of its type only, and as its type decides', () => {
    expect(event(1).isFor(owner, { ...options, eventTypes: ['other'] })).toBe(false);
    expect(event(1).isFor(owner, { ...options, eventTypes: ['other', 'thing'] })).toBe(true);
    expect(event(1, {}, { isFor: () => false }).isFor(owner, options)).toBe(false);
  });

  it('makes its text once for all queues with the same options', () => {
    let made = 0;
    const formsOf = () => {
      made += 1;
      return [{}];
    };
    const sut = event(1, {}, { formsOf });
    for (let count = 0; count < 3; count += 1) sut.formsFor({ ...options });
    sut.formsFor({ ...options, applyMarkdown: true });
    expect(made).toBe(2);
  });
});
