import type { DiscoveryService } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import type { QueueOptions, TransientChanges, TransientReader } from '#events/declarations';
import { eventIdAt, noProgress, type QueuesService, startIdAt } from '#events/queues';
import type { PendingPoll } from './held-poll.js';
import { TransientAnswers, type TransientListener } from './transient-answers.js';

const REALM = 7;

const pollOf = (userId: number, different: Partial<PendingPoll> = {}): PendingPoll => ({
  queue: {
    id: `queue ${userId}`,
    realmId: REALM,
    userId,
    // The only option that these events depend on.
    options: { eventTypes: null } as QueueOptions,
    startPosition: 3,
    idleSeconds: 600,
  },
  progress: noProgress(),
  // The source of this test reads no other member.
  caller: { userId } as Caller,
  lastId: startIdAt(3),
  cursor: 10,
  recordedAt: 0,
  pollId: `poll ${userId}`,
  isImmediate: false,
  link: null,
  owner: { userId, isGuest: false, keyGeneration: 1 },
  ...different,
});

let sut: TransientAnswers;
/** The events of the source; none for the other accounts. */
let changes: Map<number, TransientChanges>;
let reads: TransientReader[][];
let isNewestPoll: boolean;
let sent: unknown[];
let happens: (realmId: number | null) => void;

beforeEach(() => {
  jest.useFakeTimers();
  changes = new Map();
  reads = [];
  isNewestPoll = true;
  sent = [];
  const source = {
    type: 'presence',
    read: (readers: TransientReader[]) => {
      reads.push(readers);
      return Promise.resolve(readers.map(({ caller }) => changes.get(caller.userId) ?? null));
    },
    onChange: (listener: typeof happens) => (happens = listener),
  };
  // The fakes have the methods that are called.
  sut = new TransientAnswers(
    { getProviders: () => [{ instance: source }] } as unknown as DiscoveryService,
    {
      recordSent: ({ pollId }: PendingPoll, last: object) => {
        if (isNewestPoll) sent.push({ pollId, ...last });
        return Promise.resolve(isNewestPoll);
      },
    } as unknown as QueuesService,
  );
  sut.onApplicationBootstrap();
});

afterEach(() => {
  jest.useRealTimers();
});

const two = { events: [{ user_id: 1 }, { user_id: 2 }], cursor: 20 };

describe('The texts of an answer', () => {
  it('have ids after the stored events, and are recorded before', async () => {
    changes.set(1, two);
    const { texts, cursor } = await sut.textsFor(pollOf(1), 5);
    const first = startIdAt(5);
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      { type: 'presence', user_id: 1, id: first },
      { type: 'presence', user_id: 2, id: first + 1 },
    ]);
    expect(sent).toEqual([{ pollId: 'poll 1', lastId: first + 1, cursor: 20 }]);
    expect(cursor).toBe(20);
    expect(reads).toMatchObject([[{ cursor: 10 }]]);
  });

  it('have ids after the last id of the client', async () => {
    const lastId = startIdAt(5) + 40;
    const { texts } = await sut.textsFor(pollOf(1, { lastId }), 5, two);
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ id: lastId + 1 });
    expect(reads).toEqual([]);
  });

  it.each<[string, Partial<PendingPoll>]>([
    ['without enough ids before the next event', { lastId: eventIdAt(4) - 900 }],
    ['of a poll that Redis has not recorded', { recordedAt: null }],
    [
      'of a queue of other types',
      {
        queue: {
          ...pollOf(1).queue,
          options: { eventTypes: ['message'] } as unknown as QueueOptions,
        },
      },
    ],
  ])('are none %s', async (_, different) => {
    const poll = pollOf(1, different);
    changes.set(1, two);
    expect(await sut.textsFor(poll, 3)).toEqual({ texts: [], cursor: 10 });
    sut.listen({ begun: poll, wake: () => undefined });
    happens(REALM);
    await jest.advanceTimersByTimeAsync(50);
    expect(reads).toEqual([]);
  });

  it('are none if a newer poll of the queue has begun', async () => {
    isNewestPoll = false;
    expect(await sut.textsFor(pollOf(1), 3, two)).toEqual({ texts: [], cursor: 10 });
  });
});

describe('A held poll', () => {
  /** Holds polls; resolves with the accounts whose polls are woken. */
  function hold(count: number): { woken: number[]; polls: TransientListener[] } {
    const woken: number[] = [];
    const polls = Array.from({ length: count }, (_, index) => ({
      begun: pollOf(index + 1),
      wake: () => woken.push(index + 1),
    }));
    for (const poll of polls) sut.listen(poll);
    return { woken, polls };
  }

  it('is woken by a change that concerns it', async () => {
    const { woken } = hold(3);
    await jest.advanceTimersByTimeAsync(5);
    happens(REALM);
    changes.set(2, two);
    happens(REALM);
    happens(REALM);
    await jest.advanceTimersByTimeAsync(50);
    expect(woken).toEqual([2]);
    // Each poll is read once when it begins, and all of them at the first change and once for the other two.
    expect(reads.map(({ length }) => length)).toEqual([1, 1, 1, 3, 3]);
  });

  it('is woken by a change since the last answer', async () => {
    changes.set(1, two);
    const { woken } = hold(1);
    await jest.advanceTimersByTimeAsync(5);
    expect(woken).toEqual([1]);
  });

  it('is woken by a change of any organisation', async () => {
    const { woken } = hold(1);
    await jest.advanceTimersByTimeAsync(5);
    changes.set(1, two);
    happens(null);
    await jest.advanceTimersByTimeAsync(50);
    expect(woken).toEqual([1]);
  });

  it('is not woken after its end, or by a change of another organisation', async () => {
    const { woken, polls } = hold(2);
    await jest.advanceTimersByTimeAsync(5);
    changes.set(1, two);
    changes.set(2, two);
    happens(REALM + 1);
    await jest.advanceTimersByTimeAsync(50);
    expect(woken).toEqual([]);
    for (const poll of polls.slice(0, 1)) sut.stop(poll);
    happens(REALM);
    await jest.advanceTimersByTimeAsync(50);
    expect(woken).toEqual([2]);
  });

  it.each([
    [100, 100],
    [101, 0],
  ])('of %i polls: %i are woken', async (count, expected) => {
    const { woken } = hold(count);
    await jest.advanceTimersByTimeAsync(5);
    for (let userId = 1; userId <= count; userId += 1) changes.set(userId, two);
    happens(REALM);
    await jest.advanceTimersByTimeAsync(50);
    expect(woken).toHaveLength(expected);
  });
});
