import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  checkpointOf,
  isReusable,
  poolOf,
  sharedWindow,
  untilNextBodyMs,
} from './sharing.rules.js';

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

describe(poolOf.name, () => {
  const asked = {
    realmId: 3,
    format: 'modern',
    lastUpdateId: null,
    historyLimitDays: null,
  } as const;
  const cursorAged = (seconds: number) => ({ lastUpdateId: POSITION - seconds * SECOND });
  const of = (different: Partial<Parameters<typeof poolOf>[0]>): string =>
    poolOf({ ...asked, ...different }, POSITION);

  it.each([
    ['cursors of the last minute', cursorAged(1), cursorAged(80)],
    ['old cursors of about one age', cursorAged(700), cursorAged(1200)],
    ['a cursor, whatever the days', cursorAged(60), { ...cursorAged(60), historyLimitDays: 3 }],
    ['no cursor, 0 and below', {}, { lastUpdateId: 0 }],
    ['the usual days and the same when told', {}, { historyLimitDays: 14 }],
    ['a cursor ahead of the mirror and one below it', cursorAged(-5), cursorAged(5)],
  ])('is the same for %s', (_what, one, other) => {
    expect(of(one)).toBe(of(other));
  });

  it.each([
    ['realms', {}, { realmId: 4 }],
    ['formats', {}, { format: 'legacy' as const }],
    ['days', {}, { historyLimitDays: 15 }],
    ['ages', cursorAged(60), cursorAged(90)],
    ['a first fetch and a cursor', {}, cursorAged(60)],
    ['a first fetch and the lowest cursor', {}, { lastUpdateId: 1 }],
  ])('is another for other %s', (_what, one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  it('is one of few for all who come back after a month', () => {
    const ages = Array.from({ length: 30 * 24 }, (_, hours) => hours * 3600);
    expect(new Set(ages.map((age) => of(cursorAged(age)))).size).toBeLessThan(20);
  });
});

describe(sharedWindow.name, () => {
  it('reaches from the checkpoint of the lowest cursor, or as far back as the days say', () => {
    const cursor = POSITION - 60 * SECOND;
    const asked = {
      realmId: 3,
      format: 'modern',
      lastUpdateId: cursor + 9,
      historyLimitDays: 1,
    } as const;
    expect(sharedWindow(asked, cursor + 7, POSITION, NOW_SECONDS)).toEqual({
      aboveId: cursor,
      seenSince: null,
    });
    expect(sharedWindow({ ...asked, lastUpdateId: -1 }, -1, POSITION, NOW_SECONDS)).toEqual({
      aboveId: -1,
      seenSince: NOW_SECONDS - 86_400,
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
    ['for whom it has the cursor of', { cursor: 10, revision: 3 }, 1500, true],
    ['not for who is ahead of it', { cursor: 11, revision: 3 }, 1500, false],
    ['for whom it begins at the cursor of', { cursor: 5, revision: 3 }, 1500, true],
    ['not for who needs more from before', { cursor: 4, revision: 3 }, 1500, false],
    ['not for who needs a later state', { cursor: 9, revision: 4 }, 1500, false],
  ])('%s', (_title, needs, nowMs, expected) => {
    expect(isReusable(body, needs, nowMs)).toBe(expected);
  });

  it('is one of everybody for who asks for everybody', () => {
    expect(isReusable({ ...body, aboveId: -1 }, { cursor: -1, revision: 0 }, 1000)).toBe(true);
  });
});

describe(untilNextBodyMs.name, () => {
  it.each([
    ['nothing without a former body', null, 1000, 0],
    ['a quarter of a second after one', 1000, 1000, 250],
    ['what is left of that', 1000, 1100, 150],
    ['nothing later', 1000, 1250, 0],
    ['no longer when the clock has gone back', 1000, 0, 250],
  ])('is %s', (_title, lastMadeAtMs, nowMs, expected) => {
    expect(untilNextBodyMs(lastMadeAtMs, nowMs)).toBe(expected);
  });
});
