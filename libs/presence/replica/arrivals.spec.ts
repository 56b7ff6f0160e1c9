import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming } from '#platform/contracts';
import type { PresenceEntry } from '#presence/rules';
import { Arrivals } from './arrivals.js';

const entry = (id: number, activeAt: number, userId = 1): PresenceEntry => ({
  userId,
  id,
  activeAt,
  idleAt: activeAt,
  joinedAt: 1,
  hiddenAt: 0,
  isDeactivated: false,
});

let sut: Arrivals;

beforeEach(() => {
  sut = new Arrivals(defaultPresenceTiming);
});

describe(Arrivals.name, () => {
  it('has the id of the change with which a user came online', () => {
    const came = entry(20, 1000);
    expect(sut.record(entry(10, 100), came)).toBe(true);
    const refreshed = entry(30, 1060);
    expect(sut.record(came, refreshed)).toBe(false);
    expect(sut.idOf(refreshed)).toBe(20);
  });

  it('is not changed by the same entry', () => {
    expect(sut.record(entry(20, 1000), entry(20, 2000))).toBe(false);
  });

  it('takes a change that it has not seen for a coming online, and a later refresh not', () => {
    sut.startAt(50);
    expect(sut.idOf(entry(40, 1000))).toBe(40);
    expect(sut.idOf(entry(60, 1000))).toBe(50);
    sut.record(undefined, entry(70, 1000, 2));
    expect(sut.idOf(entry(70, 1000, 2))).toBe(70);
  });

  it('forgets what came before an unknown history', () => {
    sut.record(undefined, entry(20, 1000));
    sut.startAt(50);
    expect(sut.idOf(entry(45, 1000))).toBe(45);
  });
});
