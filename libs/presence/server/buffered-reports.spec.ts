import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceReport, ReportKind } from '#presence/rules';
import { BufferedReports } from './buffered-reports.js';

const report = (userId: number, kind: ReportKind, activeAt: number, idleAt: number) =>
  ({ userId, kind, activeAt, idleAt, joinedAt: 1 }) satisfies PresenceReport;

const ofAny = () => true;

describe(BufferedReports.name, () => {
  let sut: BufferedReports;

  beforeEach(() => {
    sut = new BufferedReports();
  });

  it('keeps one report per user, with the latest times', () => {
    sut.add(1, report(5, 'merge', 100, 100));
    sut.add(1, report(5, 'merge', 0, 200));
    sut.add(1, report(5, 'merge', 150, 150));
    expect(sut.size).toBe(1);
    expect(sut.take(ofAny)).toEqual([{ realmId: 1, reports: [report(5, 'merge', 150, 200)] }]);
  });

  it('drops times from before the user went invisible, and keeps later ones', () => {
    sut.add(1, report(5, 'merge', 100, 100));
    sut.add(1, report(5, 'hide', 0, 200));
    sut.add(1, report(5, 'merge', 300, 300));
    expect(sut.take(ofAny)[0]?.reports).toEqual([
      report(5, 'hide', 0, 200),
      report(5, 'merge', 300, 300),
    ]);
  });

  it('keeps the last change of visibility', () => {
    sut.add(1, report(5, 'hide', 0, 200));
    sut.add(1, report(5, 'show', 0, 300));
    expect(sut.take(ofAny)[0]?.reports).toEqual([report(5, 'show', 0, 300)]);
  });

  it('keeps a change of visibility when an earlier write fails later', () => {
    sut.add(1, report(5, 'show', 0, 300));
    sut.add(1, report(5, 'hide', 0, 200));
    sut.add(1, report(6, 'hide', 0, 200));
    sut.add(1, report(6, 'merge', 0, 300));
    sut.add(1, report(6, 'merge', 100, 100));
    expect(sut.take(ofAny)[0]?.reports).toEqual([
      report(5, 'show', 0, 300),
      report(6, 'hide', 0, 200),
      report(6, 'merge', 0, 300),
    ]);
  });

  it('drops activity from before the user went invisible, and keeps the later idle time', () => {
    sut.add(1, report(5, 'merge', 100, 300));
    sut.add(1, report(5, 'hide', 0, 200));
    expect(sut.take(ofAny)[0]?.reports).toEqual([
      report(5, 'hide', 0, 200),
      report(5, 'merge', 0, 300),
    ]);
  });

  it('is empty after all reports were taken', () => {
    sut.add(1, report(5, 'merge', 100, 100));
    sut.add(2, report(6, 'merge', 100, 100));
    expect(sut.take(ofAny)).toHaveLength(2);
    expect(sut.take(ofAny)).toEqual([]);
    expect(sut.size).toBe(0);
  });

  it('returns the selected realms, and keeps the others', () => {
    sut.add(1, report(5, 'merge', 100, 100));
    sut.add(2, report(6, 'merge', 100, 100));
    expect(sut.take((realmId) => realmId === 2)).toMatchObject([{ realmId: 2 }]);
    expect(sut.size).toBe(1);
    expect(sut.take(ofAny)).toMatchObject([{ realmId: 1 }]);
  });

  it('limits the number of users', () => {
    for (let user = 1; user <= 200_000; user += 1) sut.add(1, report(user, 'merge', 1, 1));
    expect(sut.add(1, report(200_001, 'merge', 1, 1))).toBe(false);
    expect(sut.add(1, report(200_000, 'merge', 2, 2))).toBe(true);
    expect(sut.size).toBe(200_000);
  });
});
