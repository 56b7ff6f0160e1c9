import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Deadline, withinDeadline } from './deadline.js';

afterEach(() => {
  jest.useRealTimers();
});

describe(Deadline.name, () => {
  let events: string[];
  const expire = () => events.push('expired');

  beforeEach(() => {
    events = [];
  });

  it('expires after its time', async () => {
    jest.useFakeTimers();
    expect(new Deadline(5, expire)).toBeDefined();
    await jest.advanceTimersByTimeAsync(4);
    expect(events).toEqual([]);
    await jest.advanceTimersByTimeAsync(2);
    expect(events).toEqual(['expired']);
  });

  it('does not expire after stop', async () => {
    jest.useFakeTimers();
    const sut = new Deadline(5, expire);
    sut.stop();
    await jest.advanceTimersByTimeAsync(10);
    expect(events).toEqual([]);
  });

  it('lets data that arrived during a blocked event loop be read first', async () => {
    await new Promise<void>((resolve) => {
      // Within a timer, so that the deadline is the next timer.
      setTimeout(() => {
        const sut = new Deadline(5, () => {
          expire();
          resolve();
        });
        randomBytes(4, () => {
          events.push('answered');
          sut.stop();
          setTimeout(resolve, 20);
        });
        holdUp(50);
      }, 1);
    });
    expect(events).toEqual(['answered']);
  });
});

function holdUp(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const never = new Promise<string>(() => undefined);

describe(withinDeadline.name, () => {
  it('resolves with a result in time, and does not give up later', async () => {
    jest.useFakeTimers();
    const giveUp = jest.fn(() => 'nothing');
    expect(await withinDeadline(5, Promise.resolve('answer'), giveUp)).toBe('answer');
    await jest.advanceTimersByTimeAsync(10);
    expect(giveUp).not.toHaveBeenCalled();
  });

  it('resolves with the result of giving up after the deadline', async () => {
    expect(await withinDeadline(5, never, () => 'nothing')).toBe('nothing');
    expect(await withinDeadline(5, never, async () => 'nothing')).toBe('nothing');
  });

  it('rejects with the error of the work', async () => {
    const failing = Promise.reject<string>(new Error('broken'));
    await expect(withinDeadline(5, failing, () => 'nothing')).rejects.toThrow('broken');
  });
});
