import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Heartbeats } from './heartbeats.js';
import type { HeldPoll } from './held-poll.js';

/** A poll that records its end. */
function pollEnding(ended: unknown[], due: number): HeldPoll {
  const end: HeldPoll['end'] = (reason) => ended.push([reason, performance.now()]);
  // Nothing else of it is read.
  return { due, end } as unknown as HeldPoll;
}

describe(Heartbeats.name, () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends polls after 45 to 55 seconds, and few of them at the same time', () => {
    const polls: HeldPoll[] = [];
    const sut = new Heartbeats(() => polls);
    const ended: [string, number][] = [];
    const begunAt = performance.now();
    for (let count = 0; count < 2000; count += 1) polls.push(pollEnding(ended, sut.nextDue()));
    jest.advanceTimersByTime(44_900);
    expect(ended).toEqual([]);
    jest.advanceTimersByTime(10_200);
    expect(ended).toHaveLength(2000);
    expect(new Set(ended.map(([reason]) => reason))).toEqual(new Set(['heartbeat']));
    const seconds = ended.map(([, at]) => Math.round((at - begunAt) / 1000));
    const most = Math.max(
      ...seconds.map((second) => seconds.filter((other) => other === second).length),
    );
    expect(most).toBeLessThan(500);
    jest.advanceTimersByTime(60_000);
    expect(ended).toHaveLength(2000);
  });
});
