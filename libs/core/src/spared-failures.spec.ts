import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Sampler } from './sampler.js';
import { defectCounts, SparedFailures } from './spared-failures.js';

describe(SparedFailures.name, () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('counts every defect, and logs the first of a minute', () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const sut = new SparedFailures('Place', new Sampler(60_000));
    for (let times = 0; times < 3; times += 1) sut.note(new TypeError('x is not a function'));
    expect(defectCounts().get('Place')).toBe(3);
    expect(error).toHaveBeenCalledTimes(1);
    expect(error.mock.calls[0]?.[0]).toContain('x is not a function');
  });

  it('passes over a store that is away', () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
    const sut = new SparedFailures('Another place');
    sut.note(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
    sut.note(new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    expect(defectCounts().get('Another place')).toBe(0);
    expect(error).not.toHaveBeenCalled();
  });
});
