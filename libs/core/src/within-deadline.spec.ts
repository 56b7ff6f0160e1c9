import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { withinDeadline } from './within-deadline.js';

const never = new Promise<string>(() => undefined);

describe(withinDeadline.name, () => {
  it('resolves with what comes in time, and does not give up afterwards', async () => {
    const giveUp = jest.fn(() => 'nothing');
    expect(await withinDeadline(5, Promise.resolve('answer'), giveUp)).toBe('answer');
    await delay(20);
    expect(giveUp).not.toHaveBeenCalled();
  });

  it('resolves with what giving up gives when nothing comes', async () => {
    expect(await withinDeadline(5, never, () => 'nothing')).toBe('nothing');
    expect(await withinDeadline(5, never, async () => 'nothing')).toBe('nothing');
  });

  it('rejects with what the work rejects with', async () => {
    const failing = Promise.reject<string>(new Error('broken'));
    await expect(withinDeadline(5, failing, () => 'nothing')).rejects.toThrow('broken');
  });
});
