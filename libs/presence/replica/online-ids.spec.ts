import { beforeEach, describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming, type PresenceEntry } from '#presence/rules';
import { OnlineIds } from './online-ids.js';

const entry = (id: number, activeAt: number, userId = 1): PresenceEntry => ({
  userId,
  id,
  activeAt,
  idleAt: activeAt,
  joinedAt: 1,
  hiddenAt: 0,
  isDeactivated: false,
});

const replicaAt = (position: number, ...entries: PresenceEntry[]) => ({
  isComplete: true,
  position,
  entries: () => entries,
  get: (userId: number) => entries.find((one) => one.userId === userId),
});

let sut: OnlineIds;
let notified: number;

beforeEach(() => {
  notified = 0;
  sut = new OnlineIds(defaultPresenceTiming);
  sut.onOnline(() => (notified += 1));
});

describe(OnlineIds.name, () => {
  it('has the id of the change with which a user came online', () => {
    const came = entry(20, 1000);
    sut.record(entry(10, 100), came);
    expect(notified).toBe(1);
    const refreshed = entry(30, 1060);
    sut.record(came, refreshed);
    expect(notified).toBe(1);
    expect(sut.idOf(refreshed)).toBe(20);
  });

  it('is not changed by the same entry', () => {
    sut.record(entry(20, 1000), entry(20, 2000));
    expect(notified).toBe(0);
  });

  it('takes a change that it has not seen for a coming online, and a later refresh not', () => {
    sut.recordReload(undefined, replicaAt(50));
    expect(sut.idOf(entry(40, 1000))).toBe(40);
    expect(sut.idOf(entry(60, 1000))).toBe(50);
    sut.record(undefined, entry(70, 1000, 2));
    expect(sut.idOf(entry(70, 1000, 2))).toBe(70);
  });

  it('forgets what came before an unknown history', () => {
    sut.record(undefined, entry(20, 1000));
    sut.recordReload({ ...replicaAt(0), isComplete: false }, replicaAt(50));
    expect(sut.idOf(entry(45, 1000))).toBe(45);
    expect(notified).toBe(1);
  });

  it('compares a reloaded replica with the complete one before, and notifies once', () => {
    const [before, refreshed] = [entry(10, 1000), entry(30, 1060)];
    const came = [entry(40, 1000, 2), entry(50, 1000, 3)];
    sut.recordReload(replicaAt(10, before), replicaAt(50, refreshed, ...came));
    expect(notified).toBe(1);
    expect(came.map((one) => sut.idOf(one))).toEqual([40, 50]);
    expect(sut.idOf(refreshed)).toBe(0);
  });
});
