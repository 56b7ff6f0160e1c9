import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WorkerErrors } from './worker-errors.js';

const FULL = "OOM command not allowed when used memory > 'maxmemory'. script:";

describe(WorkerErrors.name, () => {
  let entries: string[];
  let sut: WorkerErrors;

  beforeEach(() => {
    jest.useFakeTimers();
    entries = [];
    sut = new WorkerErrors({ warn: (text: string) => void entries.push(text) });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('logs the alternating errors of an outage once a minute', () => {
    const repeat = () => {
      for (const script of ['one', 'two']) sut.note(new Error(`${FULL} ${script}`));
      sut.note(new Error('connect ECONNREFUSED', { cause: { code: 'ECONNREFUSED' } }));
    };
    for (let round = 0; round < 6; round += 1) {
      repeat();
      sut.reset();
      jest.advanceTimersByTime(10_000);
    }
    expect(entries).toEqual([`${FULL} one`]);
    repeat();
    expect(entries).toEqual([`${FULL} one`, `${FULL} one, 18 errors since the last entry`]);
  });

  it('logs another error when it changes, and again after progress', () => {
    for (const text of ['one', 'one', 'other']) sut.note(new Error(text));
    expect(entries).toEqual(['one', 'other']);
    sut.reset();
    sut.note(new Error('other'));
    expect(entries).toEqual(['one', 'other', 'other']);
  });
});
