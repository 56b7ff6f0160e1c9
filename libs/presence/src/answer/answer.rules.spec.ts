import { describe, expect, it } from '@jest/globals';
import type { PresenceEntry } from '../state/presence-entry.js';
import { answerCursor, answerWindow, legacyFragment } from './answer.rules.js';

const NOW = 1_800_000_000;
const DAY = 86_400;

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

  it('reaches back to the beginning for more days than there were', () => {
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
    ['does not move by a makeshift mirror', 5, -1, true, 5],
    ['is -1 by a makeshift mirror for who passed none', null, -1, true, -1],
  ])('%s', (_title, passed, position, hasEntries, expected) => {
    expect(answerCursor(passed, position, hasEntries)).toBe(expected);
  });
});

describe(legacyFragment.name, () => {
  const told = (activeAt: number, idleAt: number): unknown => {
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
    expect(told(activeAt, idleAt)).toEqual({
      'a"b@x': { aggregated: common, website: { ...common, pushable: false } },
    });
  });
});
