import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  dayOf,
  firstTrafficDay,
  isRecentlyActive,
  TRAFFIC_DAYS,
  weeklyTraffic,
} from './channel-traffic.rules.js';

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
  ])('of %i ms is %i', (time, day) => {
    expect(dayOf(time)).toBe(day);
  });
});

describe(firstTrafficDay.name, () => {
  it('is the first of four weeks whose last day is today', () => {
    expect(today - firstTrafficDay(now) + 1).toBe(TRAFFIC_DAYS);
  });
});

describe(weeklyTraffic.name, () => {
  it.each<[what: string, messages: number, ageDays: number, expected: number | null]>([
    ['a channel of today', 50, 0, null],
    ['a channel of not quite a week', 50, 6.999, null],
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
    ['a next place', 4 * 996, 28, 1_000],
  ])('of %s', (_what, messages, ageDays, expected) => {
    expect(weeklyTraffic(messages, daysAgo(ageDays), now)).toBe(expected);
  });

  it('has at most two digits that are no zero, and is near the truth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (messages) => {
        const told = weeklyTraffic(messages, daysAgo(100), now) ?? Number.NaN;
        expect(String(told)).toMatch(/^[1-9]\d?0*$/);
        expect(Math.abs(told - messages / 4)).toBeLessThanOrEqual(Math.max(1, messages / 4 / 20));
      }),
    );
  });
});

describe(isRecentlyActive.name, () => {
  it.each<[what: string, lastMessageDay: number | null, expected: boolean]>([
    ['never had a message', null, false],
    ['has one of today', today, true],
    ['has one of 180 days ago', today - 180, true],
    ['has none since 181 days', today - 181, false],
  ])('of a channel that %s', (_what, lastMessageDay, expected) => {
    expect(isRecentlyActive(lastMessageDay, now)).toBe(expected);
  });
});
