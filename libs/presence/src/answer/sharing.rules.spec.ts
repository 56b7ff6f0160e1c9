import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkpointOf, isReusable, sharedScope } from './sharing.rules.js';

const SECOND = 1_000_000;
const NOW_SECONDS = 1_800_000_000;
const POSITION = NOW_SECONDS * SECOND;

describe(checkpointOf.name, () => {
  it.each([
    ['5 s', POSITION - 1, POSITION - 5 * SECOND],
    ['5 s, on it', POSITION - 60 * SECOND, POSITION - 60 * SECOND],
    ['5 s, just above it', POSITION - 60 * SECOND + 1, POSITION - 60 * SECOND],
    ['10 s for one of 161 s ago', POSITION - 161 * SECOND, POSITION - 170 * SECOND],
    ['the beginning for one from before there were ids of time', 5, 0],
  ])('is a multiple of %s', (_step, cursor, expected) => {
    expect(checkpointOf(cursor, POSITION)).toBe(expected);
  });

  it('is never above the cursor, and below it by 5 s or a sixteenth of its age at most', () => {
    const id = fc.oneof(fc.maxSafeNat(), fc.integer({ min: POSITION - 2 ** 31, max: POSITION }));
    fc.assert(
      fc.property(id, id, (cursor, position) => {
        const below = cursor - checkpointOf(cursor, position);
        expect(below).toBeGreaterThanOrEqual(0);
        expect(below).toBeLessThan(Math.max(5 * SECOND, (position - cursor) / 16) + 1);
      }),
    );
  });

  it('is one of few for all who come back after a night', () => {
    const cursors = Array.from({ length: 12 * 3600 }, (_, age) => POSITION - age * SECOND);
    const checkpoints = new Set(cursors.map((cursor) => checkpointOf(cursor, POSITION)));
    expect(checkpoints.size).toBeLessThan(200);
  });
});

describe(sharedScope.name, () => {
  const asked = {
    realmId: 3,
    format: 'modern',
    lastUpdateId: null,
    historyLimitDays: null,
  } as const;
  const cursor = POSITION - 60 * SECOND;
  const keyOf = (different: Partial<Parameters<typeof sharedScope>[0]>): string =>
    sharedScope({ ...asked, ...different }, POSITION, NOW_SECONDS).key;

  it.each([
    ['cursors above one checkpoint', { lastUpdateId: cursor + 1 }, { lastUpdateId: cursor + 2 }],
    [
      'a cursor, whatever the days',
      { lastUpdateId: cursor },
      { lastUpdateId: cursor, historyLimitDays: 3 },
    ],
    ['no cursor, 0 and below', {}, { lastUpdateId: 0 }],
    ['the usual days and the same when told', {}, { historyLimitDays: 14 }],
  ])('is the same for %s', (_what, one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  it.each([
    ['realms', {}, { realmId: 4 }],
    ['formats', {}, { format: 'legacy' as const }],
    ['days', {}, { historyLimitDays: 15 }],
    ['checkpoints', { lastUpdateId: cursor }, { lastUpdateId: cursor - 1 }],
    ['a first fetch and a cursor', {}, { lastUpdateId: cursor }],
    ['a first fetch and the lowest cursor', {}, { lastUpdateId: 1 }],
  ])('is another for other %s', (_what, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('reaches from the checkpoint, or as far back as the days say', () => {
    const windowOf = (lastUpdateId: number | null) =>
      sharedScope({ ...asked, lastUpdateId, historyLimitDays: 1 }, POSITION, NOW_SECONDS).window;
    expect(windowOf(cursor + 7)).toEqual({ aboveId: cursor, seenSince: null });
    expect(windowOf(-1)).toEqual({ aboveId: -1, seenSince: NOW_SECONDS - 86_400 });
  });
});

describe(isReusable.name, () => {
  it.each([
    ['at once', 9, 1000, true],
    ['within a second', 9, 1999, true],
    ['not after a second', 9, 2000, false],
    ['not when the clock has gone back', 9, 999, false],
    ['for whom it has the cursor of', 10, 1500, true],
    ['not for who is ahead of it', 11, 1500, false],
  ])('%s', (_title, cursor, nowMs, expected) => {
    expect(isReusable({ position: 10, madeAtMs: 1000 }, cursor, nowMs)).toBe(expected);
  });
});
