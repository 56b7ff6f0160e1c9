import { beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest, VisibilityChange } from '#contracts';
import { presenceRequest } from '../../../../test/support/presence-request.js';
import { HeldRequests } from './held-requests.js';

const request = (userId: number, status: 'active' | 'idle', reportedAt: number): PresenceRequest =>
  presenceRequest({ userId, status, reportedAt });

const change = (changedAt: number, isVisible: boolean): VisibilityChange => {
  return { realmId: 1, userId: 1, joinedAt: 1, isVisible, changedAt };
};

describe(HeldRequests.name, () => {
  let sut: HeldRequests;

  beforeEach(() => {
    sut = new HeldRequests();
  });

  it('keeps the latest report of each status', () => {
    sut.holdReport(request(1, 'active', 10));
    sut.holdReport(request(1, 'idle', 30));
    sut.holdReport(request(1, 'active', 20));
    sut.holdReport(request(1, 'idle', 25));
    expect(sut.size).toBe(1);
    expect(sut.take(10)).toEqual([
      { active: request(1, 'active', 20), idle: request(1, 'idle', 30) },
    ]);
  });

  it('keeps the latest change of visibility beside the reports', () => {
    sut.holdReport(request(1, 'active', 10));
    sut.holdVisibility(change(20, false));
    sut.holdVisibility(change(15, true));
    expect(sut.take(10)).toEqual([
      { active: request(1, 'active', 10), visibility: change(20, false) },
    ]);
  });

  it('hands out as many users as asked for', () => {
    for (let user = 1; user <= 5; user += 1) sut.holdReport(request(user, 'active', 10));
    expect(sut.take(3)).toHaveLength(3);
    expect(sut.size).toBe(2);
  });

  it('hands out as many as it holds in little time, however few at once', () => {
    for (let user = 1; user <= 100_000; user += 1) sut.holdReport(request(user, 'active', 10));
    const beganAtMs = performance.now();
    while (sut.size > 0) sut.take(100);
    // Copying what is left each time took seven seconds.
    expect(performance.now() - beganAtMs).toBeLessThan(1000);
  });

  it('is bounded by a number of users', () => {
    for (let user = 1; user <= 100_001; user += 1) sut.holdReport(request(user, 'active', 10));
    expect(sut.size).toBe(100_000);
  });
});
