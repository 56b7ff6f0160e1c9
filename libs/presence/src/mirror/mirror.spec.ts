import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceChange, PresenceEntry } from '../state/presence-entry.js';
import { Mirror } from './mirror.js';

const EPOCH = 7;

const entry = (
  userId: number,
  id: number,
  different: Partial<PresenceEntry> = {},
): PresenceEntry => {
  return {
    userId,
    id,
    activeAt: 100,
    idleAt: 200,
    joinedAt: 50,
    hiddenAt: 0,
    isDeactivated: false,
    ...different,
  };
};

const change = (userId: number, id: number, previousId: number, epoch = EPOCH): PresenceChange => {
  return { entry: entry(userId, id), previousId, epoch };
};

describe(Mirror.name, () => {
  let sut: Mirror;

  beforeEach(() => {
    sut = Mirror.proven(EPOCH, 12, [entry(2, 12), entry(1, 10), entry(3, 11)]);
  });

  const order = (): number[] => {
    const userIds: number[] = [];
    for (let node = sut.newest; node; node = node.older) userIds.push(node.entry.userId);
    return userIds;
  };

  it('has the latest change first', () => {
    expect(order()).toEqual([2, 3, 1]);
  });

  it('takes a change that continues it', () => {
    expect(sut.apply(change(1, 15, 12))).toBe('applied');
    expect(sut.position).toBe(15);
    expect(order()).toEqual([1, 2, 3]);
    expect(sut.get(1)?.id).toBe(15);
  });

  it.each([
    ['latest', 2, [2, 3, 1]],
    ['middle', 3, [3, 2, 1]],
    ['oldest', 1, [1, 2, 3]],
  ])('moves the %s user to the front', (_place, userId, expected) => {
    sut.apply(change(userId, 20, 12));
    expect(order()).toEqual(expected);
    expect(sut.entries()).toHaveLength(3);
  });

  it.each([
    [9, 2, true],
    [9, 3, false],
    [10, 1, true],
    [10, 2, false],
    [12, 0, false],
    [-1, 0, true],
    [Infinity, 0, false],
  ])('above %d has more than %d: %s', (id, count, expected) => {
    expect(sut.hasMoreAbove(id, count)).toBe(expected);
  });

  it('refuses a change after a gap, and stays as it is', () => {
    expect(sut.apply(change(1, 15, 14))).toBe('gap');
    expect(sut.position).toBe(12);
    expect(sut.get(1)?.id).toBe(10);
  });

  it('refuses a change of another epoch, whatever it says to continue', () => {
    expect(sut.apply(change(1, 15, 12, EPOCH + 1))).toBe('gap');
  });

  it('ignores what it has', () => {
    expect(sut.apply(change(1, 12, 11))).toBe('known');
    expect(sut.get(1)?.id).toBe(10);
  });

  it('has its entries ready as JSON, with the date of joining for who was never active', () => {
    sut = Mirror.proven(EPOCH, 1, [entry(9, 1, { activeAt: 0 })]);
    expect(JSON.parse(`{${sut.newest?.fragment}}`)).toEqual({
      '9': { active_timestamp: 50, idle_timestamp: 200 },
    });
  });

  it('vouches for no position when it is a makeshift', () => {
    sut = Mirror.unproven([entry(1, 10)]);
    expect(sut.isProven).toBe(false);
    expect(sut.position).toBe(-1);
    expect(sut.apply(change(1, 15, -1))).toBe('gap');
  });
});
