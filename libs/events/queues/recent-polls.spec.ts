import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type BegunPoll, noProgress } from './poll.js';
import type { EventQueue } from './queue.js';
import type { QueueNotices } from './queue-notices.js';
import type { QueueStateStore } from './queue-state.store.js';
import { RecentPolls } from './recent-polls.js';

/** An end waits for a second, and for the next of the runs, which are about a second apart. */
const LONGEST_MS = 2600;

/** A poll with the acknowledged id 10. */
const pollOf = (id: string, different: Partial<BegunPoll> = {}): BegunPoll => ({
  // RecentPolls reads no other member.
  queue: { id, idleSeconds: 600 } as EventQueue,
  progress: noProgress(),
  lastId: 10,
  pollId: `poll of ${id}`,
  cursor: 1,
  recordedAt: performance.now(),
  ...different,
});
const answered = { lastId: 20, cursor: 2 };

let sut: RecentPolls;
let written: { readonly id: string; readonly lastId: number; readonly agoMs: number }[];
let completeSince: number;
let endPoll: (queueId: string, pollId: string | null) => void;
let deleteQueues: (queueIds: readonly string[]) => void;

beforeEach(() => {
  jest.useFakeTimers();
  written = [];
  completeSince = Number.NEGATIVE_INFINITY;
  // The fakes have the members that are used.
  const states = {
    recordEnd: ({ queue: { id }, lastId }: BegunPoll, agoMs: number) => {
      written.push({ id, lastId, agoMs });
      return Promise.resolve();
    },
  };
  const notices = {
    get completeSince() {
      return completeSince;
    },
    onEnded: (listener: typeof endPoll) => (endPoll = listener),
    onDeleted: (listener: typeof deleteQueues) => (deleteQueues = listener),
  };
  sut = new RecentPolls(states as unknown as QueueStateStore, notices as unknown as QueueNotices);
  sut.onApplicationBootstrap();
});

afterEach(async () => {
  await sut.beforeApplicationShutdown();
  jest.useRealTimers();
});

/** Adds a poll, and ends it. */
function addEnded(poll: BegunPoll): void {
  sut.add(poll);
  sut.recordEnd(poll, answered);
}

describe('The end of a poll', () => {
  it('is written with its age and the acknowledged id, and only once', async () => {
    addEnded(pollOf('a'));
    await jest.advanceTimersByTimeAsync(LONGEST_MS);
    expect(written).toEqual([{ id: 'a', lastId: 10, agoMs: expect.any(Number) }]);
    expect(written[0]?.agoMs).toBeGreaterThanOrEqual(1000);
    await sut.beforeApplicationShutdown();
    expect(written).toHaveLength(1);
  });

  it('is not written after the beginning of another poll', async () => {
    const older = pollOf('a');
    sut.add(older);
    sut.add(pollOf('a', { pollId: 'newer' }));
    sut.recordEnd(older, answered);
    expect(sut.hasEnded('a', older.pollId)).toBe(false);
    addEnded(pollOf('b'));
    sut.add(pollOf('b', { pollId: 'newer' }));
    await sut.beforeApplicationShutdown();
    expect(written).toEqual([]);
  });

  it('does not wait for a queue that expires soon', () => {
    addEnded(pollOf('a', { queue: { id: 'a', idleSeconds: 2 } as EventQueue }));
    expect(written).toMatchObject([{ id: 'a' }]);
    expect(sut.continue('a', 20)).toBeNull();
  });

  it('is written when the gateway stops, and at once after that', async () => {
    addEnded(pollOf('a'));
    const late = pollOf('b');
    sut.add(late);
    await sut.beforeApplicationShutdown();
    sut.recordEnd(late, answered);
    expect(written).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  });
});

describe('A poll', () => {
  it('continues an ended one with the id of its answer, under its name and with its time', async () => {
    const first = pollOf('a');
    addEnded(first);
    const second = { ...first, lastId: 20, cursor: 2 };
    expect(sut.continue('a', 20)).toEqual(second);
    expect(sut.acknowledgedOf('a')).toBe(20);
    sut.recordEnd(second, { lastId: 30, cursor: 3 });
    expect(sut.continue('a', 30)).toEqual({ ...first, lastId: 30, cursor: 3 });
    await sut.beforeApplicationShutdown();
    expect(written).toEqual([]);
  });

  it('writes the id that it has acknowledged when it ends', async () => {
    const first = pollOf('a');
    addEnded(first);
    sut.continue('a', 20);
    sut.recordEnd(first, { lastId: 30, cursor: 3 });
    await sut.beforeApplicationShutdown();
    expect(written).toMatchObject([{ id: 'a', lastId: 20 }]);
  });

  it.each([10, 19, 21])('does not continue one whose answer had another id: %i', (lastId) => {
    addEnded(pollOf('a'));
    expect(sut.continue('a', lastId)).toBeNull();
    expect(sut.acknowledgedOf('a')).toBe(10);
    expect(sut.hasEnded('a', 'poll of a')).toBe(true);
  });

  it('does not continue one that waits', () => {
    sut.add(pollOf('a', { lastId: 20 }));
    expect(sut.continue('a', 20)).toBeNull();
  });

  it('does not continue one that was recorded long ago', () => {
    addEnded(pollOf('a', { recordedAt: performance.now() - 239_000 }));
    addEnded(pollOf('b', { recordedAt: performance.now() - 241_000 }));
    expect(sut.continue('a', 20)).not.toBeNull();
    expect(sut.continue('b', 20)).toBeNull();
  });

  it('does not continue one of which a notice may be lost', () => {
    addEnded(pollOf('a'));
    jest.advanceTimersByTime(1);
    completeSince = performance.now();
    expect(sut.continue('a', 20)).toBeNull();
  });

  it.each(['before its end', 'after its end'])(
    'does not continue one that another gateway has replaced %s, whose end is not written',
    async (when) => {
      const poll = pollOf('a');
      sut.add(poll);
      if (when === 'after its end') sut.recordEnd(poll, answered);
      endPoll('a', poll.pollId);
      sut.recordEnd(poll, answered);
      expect(sut.continue('a', 20)).toBeNull();
      await sut.beforeApplicationShutdown();
      expect(written).toEqual([]);
    },
  );

  it('continues one although an older poll of its queue is replaced', () => {
    addEnded(pollOf('a'));
    endPoll('a', 'older');
    endPoll('b', 'poll of a');
    expect(sut.continue('a', 20)).not.toBeNull();
  });

  it('does not continue one of a deleted queue', () => {
    addEnded(pollOf('a'));
    addEnded(pollOf('b'));
    endPoll('a', null);
    deleteQueues(['x', 'b']);
    expect(sut.continue('a', 20)).toBeNull();
    expect(sut.continue('b', 20)).toBeNull();
  });
});
