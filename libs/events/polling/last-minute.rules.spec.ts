import { describe, expect, it } from '@jest/globals';
import { countsBetween, LAG_BUCKETS_MS } from './last-minute.rules.js';

const none = { polls: 0, delivered: 0, readFromLog: 0, overflowed: 0 };
/** The counts of delays, by the upper end of their buckets; 0 is the last bucket. */
const lagsOf = (counts: Readonly<Record<number, number>>): number[] => [
  ...LAG_BUCKETS_MS.map((end) => counts[end] ?? 0),
  counts[0] ?? 0,
];

describe(countsBetween.name, () => {
  it('subtracts the counts', () => {
    const before = { polls: 5, delivered: 7, readFromLog: 1, overflowed: 2, lags: lagsOf({}) };
    const now = { polls: 9, delivered: 20, readFromLog: 1, overflowed: 3, lags: lagsOf({}) };
    expect(countsBetween(before, now)).toEqual({
      polls: 4,
      delivered: 13,
      readFromLog: 0,
      overflowed: 1,
      lagMs: null,
    });
  });

  it.each([
    ['one answer', {}, { 50: 1 }, { median: 50, p99: 50 }],
    ['most answers fast', {}, { 30: 98, 1000: 2 }, { median: 30, p99: 1000 }],
    ['one of a hundred slow', {}, { 30: 99, 1000: 1 }, { median: 30, p99: 30 }],
    ['earlier answers left out', { 5000: 50 }, { 20: 2, 5000: 50 }, { median: 20, p99: 20 }],
    ['slower than the last bucket', {}, { 0: 3 }, { median: 60_000, p99: 60_000 }],
  ])('takes the delay from the buckets: %s', (_case, before, now, lagMs) => {
    const counts = countsBetween({ ...none, lags: lagsOf(before) }, { ...none, lags: lagsOf(now) });
    expect(counts.lagMs).toEqual(lagMs);
  });
});
