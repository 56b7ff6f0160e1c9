import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceChange, PresenceEntry } from '#presence/rules';
import { RealmReplica } from './realm-replica.js';

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

/** The hash of a history; any number. */
const CHAIN = 500;

const change = (
  userId: number,
  id: number,
  previousId: number,
  previousChain = CHAIN,
): PresenceChange => {
  return { entry: entry(userId, id), previousId, previousChain, chain: CHAIN + id };
};

describe(RealmReplica.name, () => {
  let sut: RealmReplica;

  beforeEach(() => {
    sut = RealmReplica.complete({ epoch: EPOCH, top: 12, chain: CHAIN }, [
      entry(2, 12),
      entry(1, 10),
      entry(3, 11),
    ]);
  });

  const order = (): number[] => {
    const userIds: number[] = [];
    for (let node = sut.newest; node; node = node.older) userIds.push(node.entry.userId);
    return userIds;
  };

  it('orders users by their latest change, latest first', () => {
    expect(order()).toEqual([2, 3, 1]);
  });

  it('applies a change that continues it', () => {
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

  it('rejects a change after a gap, and stays unchanged', () => {
    expect(sut.apply(change(1, 15, 14))).toBe('gap');
    expect(sut.position).toBe(12);
    expect(sut.get(1)?.id).toBe(10);
  });

  it('rejects a change that continues another history, for any ids', () => {
    expect(sut.apply(change(1, 15, 12, CHAIN + 1))).toBe('diverged');
    expect(sut.apply(change(1, 15, 11))).toBe('diverged');
    expect(sut.position).toBe(12);
  });

  it('keeps the hash of the last applied change', () => {
    sut.apply(change(1, 15, 12));
    expect(sut.apply(change(1, 16, 15))).toBe('diverged');
    expect(sut.apply(change(1, 16, 15, CHAIN + 15))).toBe('applied');
  });

  it.each([
    ['the same place', { epoch: EPOCH, top: 12, chain: CHAIN }, false],
    ['another realm', { epoch: EPOCH + 1, top: 12, chain: CHAIN }, true],
    ['the same id in another history', { epoch: EPOCH, top: 12, chain: CHAIN + 1 }, true],
    ['a later id, whose change the stream delivers', { epoch: EPOCH, top: 13, chain: 1 }, false],
  ])('compares its history with Redis: %s', (_, position, expected) => {
    expect(sut.isOtherHistory(position)).toBe(expected);
  });

  it('ignores known changes', () => {
    expect(sut.apply(change(1, 12, 11))).toBe('known');
    expect(sut.get(1)?.id).toBe(10);
  });

  it('has its entries as JSON, with the joining date of users who were never active', () => {
    sut = RealmReplica.complete({ epoch: EPOCH, top: 1, chain: CHAIN }, [
      entry(9, 1, { activeAt: 0 }),
    ]);
    expect(JSON.parse(`{${sut.newest?.fragment}}`)).toEqual({
      '9': { active_timestamp: 50, idle_timestamp: 200 },
    });
  });

  it('lists users who are deactivated, until they are reactivated', () => {
    const deactivated = { ...change(1, 15, 12), entry: entry(1, 15, { isDeactivated: true }) };
    sut.apply(deactivated);
    expect([...sut.deactivated]).toEqual([1]);
    sut.apply(change(1, 16, 15, CHAIN + 15));
    expect([...sut.deactivated]).toEqual([]);
  });

  it('has no position if it is provisional', () => {
    sut = RealmReplica.provisional([entry(1, 10)]);
    expect(sut.isComplete).toBe(false);
    expect(sut.position).toBe(-1);
    expect(sut.apply(change(1, 15, -1))).toBe('gap');
  });
});
