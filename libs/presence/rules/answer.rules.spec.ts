import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  answerCursor,
  answerWindow,
  buildDelayMs,
  checkpointOf,
  isReusable,
  legacyFragment,
  hasPool,
  poolKeyOf,
  sharedWindow,
} from './answer.rules.js';
import type { PresenceEntry } from './merge.rules.js';

const NOW = 1_800_000_000;
const DAY = 86_400;
const SECOND = 1_000_000;
const POSITION = NOW * SECOND;

describe(answerWindow.name, () => {
  it.each([
    ['a cursor', 5, null, { aboveId: 5, seenSince: null }],
    ['a cursor and days', 5, 0, { aboveId: 5, seenSince: null }],
    ['no cursor', null, null, { aboveId: -1, seenSince: NOW - 14 * DAY }],
    ['a cursor of 0', 0, null, { aboveId: -1, seenSince: NOW - 14 * DAY }],
    ['a cursor of -1 and days', -1, 3, { aboveId: -1, seenSince: NOW - 3 * DAY }],
    ['no days', -1, 0, { aboveId: Number.POSITIVE_INFINITY, seenSince: null }],
    ['negative days', -1, -9, { aboveId: Number.POSITIVE_INFINITY, seenSince: null }],
  ])('for %s', (_title, lastUpdateId, historyLimitDays, expected) => {
    expect(answerWindow({ lastUpdateId, historyLimitDays }, NOW)).toEqual(expected);
  });

  it('reaches back to the beginning for a very large number of days', () => {
    const { seenSince } = answerWindow({ lastUpdateId: -1, historyLimitDays: 1e300 }, NOW);
    expect(seenSince).toBeLessThan(0);
  });
});

describe(answerCursor.name, () => {
  it.each([
    ['moves to the position with entries', 5, 9, true, 9],
    ['stays without entries', 5, 9, false, 5],
    ['never goes below the one passed', 12, 9, true, 12],
    ['is -1 when none was passed and nothing is shown', null, 9, false, -1],
    ['does not move by a provisional replica', 5, -1, true, 5],
    ['is -1 by a provisional replica for a caller without a cursor', null, -1, true, -1],
  ])('%s', (_title, passed, position, hasEntries, expected) => {
    expect(answerCursor(passed, position, hasEntries)).toBe(expected);
  });
});

describe(legacyFragment.name, () => {
  const expected = (activeAt: number, idleAt: number): unknown => {
    const entry: PresenceEntry = {
      userId: 1,
      activeAt,
      idleAt,
      joinedAt: 1,
      hiddenAt: 0,
      isDeactivated: false,
      id: 1,
    };
    return JSON.parse(`{${legacyFragment(entry, JSON.stringify('a"b@x'))}}`);
  };

  it.each([
    [930, 1000, 'active', 930],
    [929, 1000, 'idle', 1000],
    [0, 1000, 'idle', 1000],
  ])('last active at %d and idle at %d: %s as of %d', (activeAt, idleAt, status, timestamp) => {
    const common = { client: 'website', status, timestamp };
    expect(expected(activeAt, idleAt)).toEqual({
      'a"b@x': { aggregated: common, website: { ...common, pushable: false } },
    });
  });
});

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

  it('is at or below the cursor, by at most 5 s or a sixteenth of its age', () => {
    const id = fc.oneof(fc.maxSafeNat(), fc.integer({ min: POSITION - 2 ** 31, max: POSITION }));
    fc.assert(
      fc.property(id, id, (cursor, position) => {
        const below = cursor - checkpointOf(cursor, position);
        expect(below).toBeGreaterThanOrEqual(0);
        expect(below).toBeLessThan(Math.max(5 * SECOND, (position - cursor) / 16) + 1);
      }),
    );
  });

  it('has few values for all clients that return after a night', () => {
    const cursors = Array.from({ length: 12 * 3600 }, (_, age) => POSITION - age * SECOND);
    const checkpoints = new Set(cursors.map((cursor) => checkpointOf(cursor, POSITION)));
    expect(checkpoints.size).toBeLessThan(200);
  });
});

const firstFetch = {
  realmId: 3,
  format: 'modern',
  lastUpdateId: null,
  historyLimitDays: null,
} as const;
const cursorAged = (seconds: number) => ({ lastUpdateId: POSITION - seconds * SECOND });

describe(hasPool.name, () => {
  it.each([
    ['a first fetch', {}, true],
    ['a first fetch with the default days', { historyLimitDays: 14 }, true],
    ['a first fetch with other days', { historyLimitDays: 15 }, false],
    ['the lowest cursor with other days', { lastUpdateId: 0, historyLimitDays: 365 }, false],
    ['a cursor, whatever the days', { ...cursorAged(60), historyLimitDays: 3 }, true],
  ])('for %s: %j', (_what, different, expected) => {
    expect(hasPool({ ...firstFetch, ...different })).toBe(expected);
  });
});

describe(poolKeyOf.name, () => {
  const of = (different: Partial<Parameters<typeof poolKeyOf>[0]>): string =>
    poolKeyOf({ ...firstFetch, ...different }, POSITION);

  it.each([
    ['cursors of the last minute', cursorAged(1), cursorAged(80)],
    ['old cursors of about one age', cursorAged(700), cursorAged(1200)],
    ['a cursor, whatever the days', cursorAged(60), { ...cursorAged(60), historyLimitDays: 3 }],
    ['no cursor, 0 and below', {}, { lastUpdateId: 0 }],
    ['a cursor ahead of the replica and one below it', cursorAged(-5), cursorAged(5)],
  ])('is the same for %s', (_what, one, other) => {
    expect(of(one)).toBe(of(other));
  });

  it.each([
    ['realms', {}, { realmId: 4 }],
    ['formats', {}, { format: 'legacy' as const }],
    ['ages', cursorAged(60), cursorAged(90)],
    ['a first fetch and a cursor', {}, cursorAged(60)],
    ['a first fetch and the lowest cursor', {}, { lastUpdateId: 1 }],
  ])('differs for different %s', (_what, one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it('has few values for all clients that return after a month', () => {
    const ages = Array.from({ length: 30 * 24 }, (_, hours) => hours * 3600);
    expect(new Set(ages.map((age) => of(cursorAged(age)))).size).toBeLessThan(20);
  });
});

describe(sharedWindow.name, () => {
  it('starts at the checkpoint of the lowest cursor, or at the history limit', () => {
    const cursor = POSITION - 60 * SECOND;
    const asked = {
      realmId: 3,
      format: 'modern',
      lastUpdateId: cursor + 9,
      historyLimitDays: 1,
    } as const;
    expect(sharedWindow(asked, cursor + 7, POSITION, NOW)).toEqual({
      aboveId: cursor,
      seenSince: null,
    });
    expect(sharedWindow({ ...asked, lastUpdateId: -1 }, -1, POSITION, NOW)).toEqual({
      aboveId: -1,
      seenSince: NOW - 86_400,
    });
  });
});

describe(isReusable.name, () => {
  const body = { aboveId: 5, position: 10, revision: 3, madeAtMs: 1000 };

  it.each([
    ['at once', { cursor: 9, revision: 3 }, 1000, true],
    ['within a second', { cursor: 9, revision: 3 }, 1999, true],
    ['not after a second', { cursor: 9, revision: 3 }, 2000, false],
    ['not when the clock has gone back', { cursor: 9, revision: 3 }, 999, false],
    ['for a caller with its cursor', { cursor: 10, revision: 3 }, 1500, true],
    ['not for a caller ahead of it', { cursor: 11, revision: 3 }, 1500, false],
    ['for a caller whose cursor is its beginning', { cursor: 5, revision: 3 }, 1500, true],
    ['not for a caller that needs earlier entries', { cursor: 4, revision: 3 }, 1500, false],
    ['not for a caller that needs a later state', { cursor: 9, revision: 4 }, 1500, false],
  ])('%s', (_title, needs, nowMs, expected) => {
    expect(isReusable(body, needs, nowMs)).toBe(expected);
  });

  it('is an answer with all users for a request for all users', () => {
    expect(isReusable({ ...body, aboveId: -1 }, { cursor: -1, revision: 0 }, 1000)).toBe(true);
  });
});

describe(buildDelayMs.name, () => {
  it.each([
    ['nothing without a former body', null, 1000, 0],
    ['a quarter of a second after one', 1000, 1000, 250],
    ['the rest of the quarter of a second', 1000, 1100, 150],
    ['nothing later', 1000, 1250, 0],
    ['no longer when the clock has gone back', 1000, 0, 250],
  ])('is %s', (_title, lastMadeAtMs, nowMs, expected) => {
    expect(buildDelayMs(lastMadeAtMs, nowMs)).toBe(expected);
  });
});
