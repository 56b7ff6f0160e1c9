import { describe, expect, it } from '@jest/globals';
import { type SystemGroupIds, type SystemGroupName, systemGroups } from '#directory/groups';
import fc from 'fast-check';
import {
  dayOf,
  firstTrafficDay,
  isForAnnouncements,
  isHistoryPublic,
  isRecentlyActive,
  postPolicyOf,
  TRAFFIC_DAYS,
  weeklyTraffic,
} from './channel-fields.rules.js';

// fromEntries loses the type of the keys.
const ids = Object.fromEntries(
  systemGroups.map(({ name }, index) => [name, index + 1]),
) as SystemGroupIds;
const A_GROUP = 100;

describe(postPolicyOf.name, () => {
  it.each<[SystemGroupName, number]>([
    ['role:everyone', 1],
    ['role:members', 1],
    ['role:administrators', 2],
    ['role:fullmembers', 3],
    ['role:moderators', 4],
    ['role:owners', 1],
    ['role:nobody', 1],
  ])('maps %s to %i', (group, policy) => {
    expect(postPolicyOf(ids[group], ids)).toBe(policy);
  });

  it('maps a group that is no system group to anyone', () => {
    expect(postPolicyOf(A_GROUP, ids)).toBe(1);
  });
});

describe(isForAnnouncements.name, () => {
  it.each([
    [1, false],
    [2, true],
    [3, false],
    [4, false],
  ])('for the policy %i returns %s', (policy, expected) => {
    expect(isForAnnouncements(policy)).toBe(expected);
  });
});

describe(isHistoryPublic.name, () => {
  it.each([
    ['a public channel', null, false, true],
    ['a private channel', null, true, false],
    ['a private channel that shows its history', true, true, true],
    ['a public channel that hides its history', false, false, false],
  ])('decides for %s', (_what, stored, isPrivate, expected) => {
    expect(isHistoryPublic({ isHistoryPublic: stored, isPrivate })).toBe(expected);
  });
});

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const now = Date.UTC(2026, 10, 21, 12);
const daysAgo = (days: number): Date => new Date(now - days * DAY_MS);
const today = dayOf(now);

describe(dayOf.name, () => {
  it.each([
    [0, 0],
    [DAY_MS - 1, 0],
    [DAY_MS, 1],
    [Date.UTC(2026, 0, 1, 23, 59), 20_454],
  ])('maps %i ms to the day %i', (time, day) => {
    expect(dayOf(time)).toBe(day);
  });
});

describe(firstTrafficDay.name, () => {
  it('is the first day of the four weeks that end today', () => {
    expect(today - firstTrafficDay(now) + 1).toBe(TRAFFIC_DAYS);
  });
});

describe(weeklyTraffic.name, () => {
  it.each<[what: string, messages: number, ageDays: number, expected: number | null]>([
    ['a channel created today', 50, 0, null],
    ['a channel of almost a week', 50, 6.999, null],
    ['a channel of a week', 50, 7, 50],
    ['a quiet channel of a week', 0, 7, 0],
    ['a channel of two weeks', 50, 14, 25],
    ['a channel of ten days', 50, 10, 35],
    ['a channel of four weeks', 400, 28, 100],
    ['an old channel', 400, 2000, 100],
    ['an old channel without messages', 0, 2000, 0],
    ['one message in four weeks', 1, 28, 1],
    ['a channel of a few messages', 30, 28, 8],
    ['two digits', 4 * 99, 28, 99],
    ['three digits, rounded down', 4 * 124, 28, 120],
    ['three digits, rounded up', 4 * 125, 28, 130],
    ['four digits', 4 * 1_249, 28, 1_200],
    ['a carry to the next digit', 4 * 996, 28, 1_000],
  ])('averages %s', (_what, messages, ageDays, expected) => {
    expect(weeklyTraffic(messages, daysAgo(ageDays), now)).toBe(expected);
  });

  it('has at most two significant digits, and an error of at most 5 %', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (messages) => {
        const traffic = weeklyTraffic(messages, daysAgo(100), now) ?? Number.NaN;
        expect(String(traffic)).toMatch(/^[1-9]\d?0*$/);
        expect(Math.abs(traffic - messages / 4)).toBeLessThanOrEqual(
          Math.max(1, messages / 4 / 20),
        );
      }),
    );
  });
});

describe(isRecentlyActive.name, () => {
  it.each<[what: string, lastMessageDay: number | null, expected: boolean]>([
    ['never had a message', null, false],
    ['had one today', today, true],
    ['had one 180 days ago', today - 180, true],
    ['had the last one 181 days ago', today - 181, false],
  ])('decides for a channel that %s', (_what, lastMessageDay, expected) => {
    expect(isRecentlyActive(lastMessageDay, now)).toBe(expected);
  });
});
