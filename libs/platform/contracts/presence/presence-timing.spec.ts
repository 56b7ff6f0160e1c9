import { describe, expect, it } from '@jest/globals';
import { defaultPresenceTiming, leastOfflineSeconds, presenceTimingOf } from './presence-timing.js';

describe(presenceTimingOf.name, () => {
  it('publishes each ping with the default threshold', () => {
    expect(defaultPresenceTiming.updateMinimumSeconds).toBe(55);
    expect(leastOfflineSeconds(60)).toBe(200);
  });

  it.each([
    [60, 380, 235],
    [90, 560, 355],
  ])('publishes every fourth ping of %i s for a threshold of %i s', (ping, offline, minimum) => {
    expect(presenceTimingOf(ping, offline).updateMinimumSeconds).toBe(minimum);
  });
});
