import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Throttle } from './throttle.js';

/** Longer than a pause. */
const PAUSED_MS = 40;

let runs: string[];
let sut: Throttle<string>;

beforeEach(() => {
  jest.useFakeTimers();
  runs = [];
  sut = new Throttle((key) => runs.push(key));
});

afterEach(() => {
  jest.useRealTimers();
});

describe('Throttle', () => {
  it('runs the first call at once', () => {
    sut.call('a');

    expect(runs).toEqual(['a']);
  });

  it('runs later calls of a pause together, at its end', async () => {
    sut.call('a');
    sut.call('a');
    sut.call('a');
    const runsAtOnce = [...runs];
    await jest.advanceTimersByTimeAsync(PAUSED_MS);

    expect(runsAtOnce).toEqual(['a']);
    expect(runs).toEqual(['a', 'a']);
  });

  it('pauses each key alone', () => {
    sut.call('a');
    sut.call('b');

    expect(runs).toEqual(['a', 'b']);
  });

  it('runs at once again after a pause without calls', async () => {
    sut.call('a');
    await jest.advanceTimersByTimeAsync(PAUSED_MS);
    sut.call('a');

    expect(runs).toEqual(['a', 'a']);
  });

  it('runs a call that the task itself makes at the end of the pause', async () => {
    const nested = new Throttle<string>((key) => {
      runs.push(key);
      if (runs.length === 1) nested.call(key);
    });

    nested.call('a');
    const runsAtOnce = [...runs];
    await jest.advanceTimersByTimeAsync(PAUSED_MS);

    expect(runsAtOnce).toEqual(['a']);
    expect(runs).toEqual(['a', 'a']);
  });
});
