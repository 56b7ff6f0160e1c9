import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest, VisibilityChange } from '#presence/rpc';
import { presenceRequest } from '#test/presence-request';
import { BufferedRequests } from './buffered-requests.js';

const request = (userId: number, status: 'active' | 'idle', reportedAt: number): PresenceRequest =>
  presenceRequest({ userId, status, reportedAt });

const change = (changedAt: number, isVisible: boolean): VisibilityChange => {
  return { realmId: 1, userId: 1, joinedAt: 1, isVisible, changedAt };
};

describe(BufferedRequests.name, () => {
  let sut: BufferedRequests;

  beforeEach(() => {
    sut = new BufferedRequests();
  });

  it('keeps the latest report of each status', () => {
    sut.addReport(request(1, 'active', 10));
    sut.addReport(request(1, 'idle', 30));
    sut.addReport(request(1, 'active', 20));
    sut.addReport(request(1, 'idle', 25));
    expect(sut.size).toBe(1);
    expect(sut.take(10)).toEqual([
      { active: request(1, 'active', 20), idle: request(1, 'idle', 30) },
    ]);
  });

  it('keeps the latest change of visibility beside the reports', () => {
    sut.addReport(request(1, 'active', 10));
    sut.addVisibility(change(20, false));
    sut.addVisibility(change(15, true));
    expect(sut.take(10)).toEqual([
      { active: request(1, 'active', 10), visibility: change(20, false) },
    ]);
  });

  it('returns the requested number of users', () => {
    for (let user = 1; user <= 5; user += 1) sut.addReport(request(user, 'active', 10));
    expect(sut.take(3)).toHaveLength(3);
    expect(sut.size).toBe(2);
  });

  it('returns all users in a short time, also in small parts', () => {
    for (let user = 1; user <= 100_000; user += 1) sut.addReport(request(user, 'active', 10));
    const before = process.cpuUsage();
    while (sut.size > 0) sut.take(100);
    // CPU time excludes other processes of a busy machine. Copying the remaining users in each call took seven seconds.
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it('limits the number of users', () => {
    for (let user = 1; user <= 100_001; user += 1) sut.addReport(request(user, 'active', 10));
    expect(sut.size).toBe(100_000);
  });
});
