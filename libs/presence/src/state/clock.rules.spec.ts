import { describe, expect, it } from '@jest/globals';
import { latestAcceptedAt, reportUpTo, timesUpTo } from './clock.rules.js';
import type { PresenceReport } from './merge.rules.js';

const NOW = 1_800_000_000.9;
const LATEST = 1_800_000_005;

describe(latestAcceptedAt.name, () => {
  it('is some seconds ahead of the clock, and whole', () => {
    expect(latestAcceptedAt(NOW)).toBe(LATEST);
  });
});

describe(timesUpTo.name, () => {
  it('leaves times alone that are not later', () => {
    const times = { activeAt: LATEST, idleAt: LATEST, hiddenAt: 0 };
    expect(timesUpTo(times, LATEST)).toBe(times);
  });

  it.each(['activeAt', 'idleAt', 'hiddenAt'] as const)('reduces a later %s', (name) => {
    const times = { activeAt: 1, idleAt: 2, hiddenAt: 3 };
    expect(timesUpTo({ ...times, [name]: LATEST + 1 }, LATEST)).toEqual({
      ...times,
      [name]: LATEST,
    });
  });
});

describe(reportUpTo.name, () => {
  const report: PresenceReport = { userId: 1, kind: 'merge', activeAt: 0, idleAt: 9, joinedAt: 1 };

  it('leaves a report alone that is not later', () => {
    expect(reportUpTo(report, 9)).toBe(report);
  });

  it('reduces the times of a later one', () => {
    const later = { ...report, activeAt: LATEST + 60, idleAt: LATEST + 60 };
    expect(reportUpTo(later, LATEST)).toEqual({ ...report, activeAt: LATEST, idleAt: LATEST });
    expect(reportUpTo({ ...report, idleAt: LATEST + 60 }, LATEST).activeAt).toBe(0);
  });
});
