import { describe, expect, it } from '@jest/globals';
import type { HeldPoll } from './held-poll.js';
import { PollTurns } from './poll-turns.js';

const PER_TURN = 100;

/** Polls that record their ends. */
function pollsEnding(count: number, ended: unknown[]): HeldPoll[] {
  const end: HeldPoll['end'] = (reason) => ended.push(reason);
  // Nothing else of them is read.
  return Array.from({ length: count }, () => ({ end }) as unknown as HeldPoll);
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe(PollTurns.name, () => {
  it('leaves the event loop to other work between the answers of many polls', async () => {
    const sut = new PollTurns();
    const ended: unknown[] = [];
    sut.end(pollsEnding(2 * PER_TURN, ended), 'events', () => ended.push('all'));
    expect(ended).toEqual(Array(PER_TURN).fill('events'));
    await nextTurn();
    await nextTurn();
    expect(ended).toEqual([...Array<string>(2 * PER_TURN).fill('events'), 'all']);
  });

  it('begins no poll before all answers, also those that were added later', async () => {
    const sut = new PollTurns();
    expect(sut.turn()).toBeNull();
    const ended: unknown[] = [];
    sut.end(pollsEnding(PER_TURN + 1, ended), 'events');
    void sut.turn()?.then(() => ended.push('begins'));
    sut.end(pollsEnding(PER_TURN, ended), 'heartbeat');
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(ended).toHaveLength(2 * PER_TURN + 2);
    expect(ended.at(-1)).toBe('begins');
    expect(sut.turn()).toBeNull();
  });

  it('divides the beginnings among turns too', async () => {
    const sut = new PollTurns();
    sut.end(pollsEnding(1, []), 'events');
    let begun = 0;
    for (let poll = 0; poll < 2 * PER_TURN; poll += 1) void sut.turn()?.then(() => (begun += 1));
    await nextTurn();
    expect(begun).toBe(PER_TURN);
    await nextTurn();
    expect(begun).toBe(2 * PER_TURN);
  });
});
