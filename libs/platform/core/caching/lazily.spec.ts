import { describe, expect, it } from '@jest/globals';
import { lazily } from './lazily.js';

describe(lazily.name, () => {
  it('makes the value for the first reader only', () => {
    let count = 0;
    const sut = lazily(() => {
      count += 1;
      return undefined;
    });
    expect(count).toBe(0);
    sut();
    sut();
    expect(count).toBe(1);
  });

  it('tries again after a failure', () => {
    let isBroken = true;
    const sut = lazily(() => {
      if (isBroken) throw new Error('broken');
      return 'whole';
    });
    expect(sut).toThrow('broken');
    isBroken = false;
    expect(sut()).toBe('whole');
  });
});
