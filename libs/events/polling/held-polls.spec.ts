import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogRestorations, SIGNED_OUT } from '#events/log';
import type { EventQueue, QueueNotices } from '#events/queues';
import type { EventFollower } from './event-follower.js';
import type { HeldPoll } from './held-poll.js';
import { HeldPolls } from './held-polls.js';
import { loggedEvent } from './logged-event.fixture.js';
import { WindowedEvent } from './windowed-event.js';

let sut: HeldPolls;
let ended: string[];

/** A poll that records its end. */
const pollOf = (queueId: string): HeldPoll => {
  const queue = { id: queueId, realmId: 1, userId: 5, options: { allPublicStreams: false } };
  const end: HeldPoll['end'] = (reason) => ended.push(`${queueId}: ${reason}`);
  // Nothing else of it is read.
  return { queue, end } as unknown as HeldPoll;
};

beforeEach(() => {
  jest.useFakeTimers();
  ended = [];
  // The fakes have the methods that are called.
  sut = new HeldPolls(
    { sendTo: () => undefined } as unknown as EventFollower,
    new LogRestorations(),
    { onEnded: () => undefined } as unknown as QueueNotices,
  );
});

afterEach(() => {
  jest.useRealTimers();
});

describe(HeldPolls.name, () => {
  it('ends a poll with a heartbeat, and none that was removed', () => {
    const [held, removed] = [pollOf('held'), pollOf('removed')];
    sut.add(held);
    sut.add(removed);
    sut.remove(removed);
    jest.advanceTimersByTime(60_000);
    expect(ended).toEqual(['held: heartbeat']);
    expect(sut.pollsOf(1, [5])).toEqual([held]);
  });

  it('ends the older poll of a queue, whose removal leaves the newer one', () => {
    const [older, newer] = [pollOf('one'), pollOf('one')];
    sut.add(older);
    sut.add(newer);
    expect(ended).toEqual(['one: replaced']);
    sut.remove(older);
    expect(sut.count).toBe(1);
    expect(sut.pollsOf(1, [5])).toEqual([newer]);
  });

  it('refuses to hold a poll after a deactivation, but not one of a later queue', () => {
    const more = { type: SIGNED_OUT, body: { reason: 'deactivation' }, userIds: [5] };
    sut.deliver(1, new WindowedEvent(loggedEvent(7, more), { type: SIGNED_OUT }));
    const owner = { userId: 5, isGuest: false, keyGeneration: 1 };
    const refusalFrom = (startPosition: number) =>
      // Nothing else of the queue is read.
      sut.endedDuringStart({ id: 'one', startPosition } as EventQueue, owner, 'poll');
    expect(refusalFrom(6)).toBe('deactivation');
    expect(refusalFrom(7)).toBeNull();
  });
});
