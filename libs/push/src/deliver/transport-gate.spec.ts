import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TransportGate } from './transport-gate.js';

let now: number;
let sut: TransportGate;
let alarm: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  now = 1_000_000;
  sut = new TransportGate('apns', () => now);
  alarm = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe(TransportGate.name, () => {
  it('lets everything pass while nothing is wrong', () => {
    expect(sut.admit()).toBeNull();
    expect(sut.admit()).toBeNull();
    expect(sut.fault).toBeUndefined();
  });

  it('stops everything on a fault, and raises one alarm', () => {
    const reopensAt = sut.shut('InvalidProviderToken');
    sut.shut('InvalidProviderToken');
    expect(reopensAt).toBe(now + 5000);
    expect(sut.admit()).toBe(reopensAt);
    expect(sut.fault).toBe('InvalidProviderToken');
    expect(alarm).toHaveBeenCalledTimes(1);
  });

  it('lets one pass after the pause to try', () => {
    now = sut.shut('Forbidden');
    expect(sut.admit()).toBeNull();
    expect(sut.admit()).toBeGreaterThan(now);
  });

  it('opens when the provider takes one again', () => {
    now = sut.shut('Forbidden');
    sut.admit();
    sut.open();
    expect(sut.admit()).toBeNull();
    expect(sut.admit()).toBeNull();
  });

  it('waits longer after each try that goes wrong, up to five minutes', () => {
    const pauses: number[] = [];
    for (let tries = 0; tries < 9; tries += 1) {
      const reopensAt = sut.shut('Forbidden');
      pauses.push((reopensAt - now) / 1000);
      now = reopensAt;
      sut.admit();
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('does not wait longer for what was under way when it shut', () => {
    const reopensAt = sut.shut('Forbidden');
    now += 50;
    expect(sut.shut('Forbidden')).toBe(reopensAt);
  });
});
