import { describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from '#contracts';
import type { PresenceReport } from '../state/merge.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import { heldEntry } from './held-entry.rules.js';

const stored: PresenceEntry = {
  userId: 5,
  activeAt: 1000,
  idleAt: 1000,
  joinedAt: 0,
  hiddenAt: 0,
  isDeactivated: false,
  id: 1_000_000_001,
};

const seenAt = (at: number): PresenceReport => {
  return { userId: 5, kind: 'merge', activeAt: at, idleAt: at, joinedAt: 7 };
};

describe(heldEntry.name, () => {
  it('is what Redis would make of it, above every cursor and above what was held before', () => {
    const ids = [2000, 2100].map((at) => {
      const entry = heldEntry(stored, seenAt(at), 1_500_000_000, defaultPresenceTiming);
      expect(entry).toMatchObject({ userId: 5, activeAt: at, idleAt: at, joinedAt: 7 });
      return entry?.id ?? 0;
    });
    expect(ids).toEqual([2_000_000_000, 2_100_000_000]);
    const ahead = heldEntry(stored, seenAt(2000), 3_000_000_000, defaultPresenceTiming);
    expect(ahead?.id).toBe(3_000_000_001);
  });

  it('is nothing for what changes nothing', () => {
    expect(heldEntry(stored, seenAt(1055), 0, defaultPresenceTiming)).toBeNull();
  });

  it('is there also of whom nothing was known', () => {
    expect(heldEntry(undefined, seenAt(100), -1, defaultPresenceTiming)?.idleAt).toBe(100);
  });
});
