import { beforeEach, describe, expect, it } from '@jest/globals';
import { ReplicaLag, ReplicaProgress, ServedRevisions } from './replica-progress.js';

describe(ReplicaProgress.name, () => {
  it('resolves the callers whose position is reached, and no others', async () => {
    const sut = new ReplicaProgress();
    const resolved: number[] = [];
    for (const id of [30, 10, 20]) void sut.waitFor(id, 5).then(() => resolved.push(id));
    await sut.waitFor(5, 5);
    expect(resolved).toEqual([]);
    sut.advance(20);
    await Promise.resolve();
    expect(resolved).toEqual([10, 20]);
    sut.advance(30);
    await Promise.resolve();
    expect(resolved).toEqual([10, 20, 30]);
  });
});

describe(ReplicaLag.name, () => {
  let sut: ReplicaLag;

  beforeEach(() => {
    sut = new ReplicaLag();
  });

  it('is 0 while the replica has everything that the last check found', () => {
    sut.update(10, 10, 0);
    expect(sut.lagMs(10, 5000)).toBe(0);
  });

  it('grows from the first check that found an update missing', () => {
    sut.update(10, 8, 1000);
    sut.update(12, 9, 2000);
    expect(sut.lagMs(9, 3500)).toBe(2500);
  });

  it('ends when the replica gets the missing update, without another check', () => {
    sut.update(10, 8, 1000);
    expect(sut.lagMs(10, 1500)).toBe(0);
  });

  it('starts again for a replica that advances but is behind at each check', () => {
    sut.update(10, 8, 1000);
    sut.update(14, 12, 2000);
    expect(sut.lagMs(12, 2500)).toBe(500);
  });

  it('reports a replica as stuck if two checks find it behind at the same position', () => {
    expect(sut.update(10, 8, 0)).toBe(false);
    expect(sut.update(11, 9, 1000)).toBe(false);
    expect(sut.update(11, 9, 2000)).toBe(true);
    expect(sut.update(11, 11, 3000)).toBe(false);
    expect(sut.update(11, 11, 4000)).toBe(false);
  });

  it('ignores updates that Redis has lost again', () => {
    sut.update(10, 8, 1000);
    sut.update(8, 8, 2000);
    expect(sut.lagMs(8, 3000)).toBe(0);
  });
});

describe(ServedRevisions.name, () => {
  let sut: ServedRevisions;

  beforeEach(() => {
    sut = new ServedRevisions();
  });

  it('keeps the highest revision of each account', () => {
    sut.record(1, 5, 0);
    sut.record(1, 3, 10);
    sut.record(2, 4, 20);
    expect([1, 2, 3].map((userId) => sut.of(userId))).toEqual([5, 4, 0]);
  });

  it('keeps a revision for the lifetime of a shared answer, and then forgets it', () => {
    sut.record(1, 5, 0);
    sut.record(2, 6, 999);
    sut.record(3, 7, 1000);
    expect([1, 2, 3].map((userId) => sut.of(userId))).toEqual([5, 6, 7]);
    sut.record(3, 8, 2000);
    expect([1, 2, 3].map((userId) => sut.of(userId))).toEqual([0, 0, 8]);
  });

  it('keeps the higher revision of an account that was answered again', () => {
    sut.record(1, 5, 0);
    sut.record(1, 2, 1000);
    sut.record(2, 1, 2000);
    expect(sut.of(1)).toBe(5);
  });
});
