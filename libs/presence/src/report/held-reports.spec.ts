import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceReport, ReportKind } from '../state/merge.rules.js';
import { HeldReports } from './held-reports.js';

const report = (userId: number, kind: ReportKind, activeAt: number, idleAt: number) =>
  ({ userId, kind, activeAt, idleAt, joinedAt: 1 }) satisfies PresenceReport;

const ofAny = () => true;

describe(HeldReports.name, () => {
  let sut: HeldReports;

  beforeEach(() => {
    sut = new HeldReports();
  });

  it('keeps one report of a user, with the latest of each time', () => {
    sut.hold(1, report(5, 'merge', 100, 100));
    sut.hold(1, report(5, 'merge', 0, 200));
    sut.hold(1, report(5, 'merge', 150, 150));
    expect(sut.size).toBe(1);
    expect(sut.take(ofAny)).toEqual([{ realmId: 1, reports: [report(5, 'merge', 150, 200)] }]);
  });

  it('drops what was seen before the user hid, and keeps what comes after', () => {
    sut.hold(1, report(5, 'merge', 100, 100));
    sut.hold(1, report(5, 'hide', 0, 200));
    sut.hold(1, report(5, 'merge', 300, 300));
    expect(sut.take(ofAny)[0]?.reports).toEqual([
      report(5, 'hide', 0, 200),
      report(5, 'merge', 300, 300),
    ]);
  });

  it('keeps the last change of visibility', () => {
    sut.hold(1, report(5, 'hide', 0, 200));
    sut.hold(1, report(5, 'show', 0, 300));
    expect(sut.take(ofAny)[0]?.reports).toEqual([report(5, 'show', 0, 300)]);
  });

  it('is not taken back by what came earlier and fails later', () => {
    sut.hold(1, report(5, 'show', 0, 300));
    sut.hold(1, report(5, 'hide', 0, 200));
    sut.hold(1, report(6, 'hide', 0, 200));
    sut.hold(1, report(6, 'merge', 0, 300));
    sut.hold(1, report(6, 'merge', 100, 100));
    expect(sut.take(ofAny)[0]?.reports).toEqual([
      report(5, 'show', 0, 300),
      report(6, 'hide', 0, 200),
      report(6, 'merge', 0, 300),
    ]);
  });

  it('does not tell of activity before hiding, though the user was seen after it', () => {
    sut.hold(1, report(5, 'merge', 100, 300));
    sut.hold(1, report(5, 'hide', 0, 200));
    expect(sut.take(ofAny)[0]?.reports).toEqual([
      report(5, 'hide', 0, 200),
      report(5, 'merge', 0, 300),
    ]);
  });

  it('is empty after everything was taken', () => {
    sut.hold(1, report(5, 'merge', 100, 100));
    sut.hold(2, report(6, 'merge', 100, 100));
    expect(sut.take(ofAny)).toHaveLength(2);
    expect(sut.take(ofAny)).toEqual([]);
    expect(sut.size).toBe(0);
  });

  it('gives out the realms that are wanted, and keeps the others', () => {
    sut.hold(1, report(5, 'merge', 100, 100));
    sut.hold(2, report(6, 'merge', 100, 100));
    expect(sut.take((realmId) => realmId === 2)).toMatchObject([{ realmId: 2 }]);
    expect(sut.size).toBe(1);
    expect(sut.take(ofAny)).toMatchObject([{ realmId: 1 }]);
  });

  it('is bounded by a number of users', () => {
    for (let user = 1; user <= 200_000; user += 1) sut.hold(1, report(user, 'merge', 1, 1));
    expect(sut.hold(1, report(200_001, 'merge', 1, 1))).toBe(false);
    expect(sut.hold(1, report(200_000, 'merge', 2, 2))).toBe(true);
    expect(sut.size).toBe(200_000);
  });
});
