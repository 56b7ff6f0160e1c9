import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { defectCounts, Sampler, ToleratedFailures } from './tolerated-failures.js';

describe(Sampler.name, () => {
  it('allows one entry per period and counts the events', () => {
    const sut = new Sampler(100);
    const times = [1, 2, 100, 101, 102, 400];
    expect(times.map((time) => sut.take(time))).toEqual([1, null, null, 3, null, 2]);
  });
});

describe(ToleratedFailures.name, () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('counts every defect, and logs one per minute', () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const sut = new ToleratedFailures('Place', new Sampler(60_000));
    for (let times = 0; times < 3; times += 1) sut.record(new TypeError('x is not a function'));
    expect(defectCounts().get('Place')).toBe(3);
    expect(error).toHaveBeenCalledTimes(1);
    expect(error.mock.calls[0]?.[0]).toContain('x is not a function');
  });

  it('ignores an outage of a store', () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const sut = new ToleratedFailures('Another place');
    sut.record(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
    sut.record(new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    expect(defectCounts().get('Another place')).toBe(0);
    expect(error).not.toHaveBeenCalled();
  });
  it('counts a deadlock, which is answered like an outage and logged by no connection', () => {
    jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const sut = new ToleratedFailures('A third place');
    sut.record(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
    expect(defectCounts().get('A third place')).toBe(1);
  });
});
