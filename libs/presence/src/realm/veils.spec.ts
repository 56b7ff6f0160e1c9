import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from '#contracts';
import type { PresenceReport } from '../state/merge.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { Veils } from './veils.js';

const entryOf = (hiddenAt: number): PresenceEntry => {
  return {
    userId: 5,
    activeAt: 900,
    idleAt: 1000,
    joinedAt: 1,
    hiddenAt,
    isDeactivated: false,
    id: 70,
  };
};

const change = (kind: 'show' | 'hide', idleAt: number): PresenceReport => {
  return { userId: 5, kind, activeAt: 0, idleAt, joinedAt: 1 };
};

describe(Veils.name, () => {
  const stored = entryOf(0);
  let sut: Veils;

  beforeEach(() => {
    sut = new Veils(defaultPresenceTiming);
  });

  const isVeiled = (entry = stored): boolean => sut.over(entry) !== entry;

  it('tells of who hides what Redis will tell of them, under the id that is known', () => {
    sut.note(change('hide', 1100), stored);
    expect(sut.over(stored)).toEqual({
      ...stored,
      activeAt: 1100 - 391,
      idleAt: 1100 - 320,
      hiddenAt: 1100,
    });
    expect(sut.waiting).toEqual([change('hide', 1100)]);
  });

  it('falls when the hiding has been published, or something later, and stays fallen', () => {
    for (const hiddenAt of [1100, 1200]) {
      sut.note(change('hide', 1100), stored);
      expect(isVeiled(entryOf(1099))).toBe(true);
      expect(isVeiled(entryOf(hiddenAt))).toBe(false);
      expect(sut.waiting).toEqual([]);
    }
  });

  it('falls when the user shares presence again, and not for an earlier sharing that comes late', () => {
    sut.note(change('hide', 1100), stored);
    sut.note(change('show', 1099), stored);
    expect(isVeiled()).toBe(true);
    sut.note(change('show', 1100), stored);
    expect(isVeiled()).toBe(false);
  });

  it('is not put on by what comes after a later change', () => {
    sut.note(change('hide', 1100), entryOf(1100));
    expect(sut.waiting).toEqual([]);
    sut.note(change('hide', 1200), stored);
    sut.note(change('hide', 1150), stored);
    expect(sut.waiting).toEqual([change('hide', 1200)]);
  });

  it('waits for an entry of whom nothing is known yet', () => {
    sut.note(change('hide', 1100), undefined);
    expect(isVeiled()).toBe(true);
  });
});
