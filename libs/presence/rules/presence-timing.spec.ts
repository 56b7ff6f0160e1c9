import { describe, expect, it } from '@jest/globals';
import { readPresenceConfig } from '#platform/config';
import { defaultPresenceTiming, presenceTimingOf } from './presence-timing.js';

/** The timing of a presence process with these variables. */
const timingWith = (variables: Record<string, string> = {}) =>
  presenceTimingOf(
    readPresenceConfig({
      DATABASE_URL: 'postgresql://u@db/carillon',
      REDIS_URL: 'redis://cache',
      ...variables,
    }).timing,
  );

describe(presenceTimingOf.name, () => {
  it('is the timing that clients assume by default, and then publishes each ping', () => {
    expect(timingWith()).toEqual(defaultPresenceTiming);
    expect(defaultPresenceTiming.updateMinimumSeconds).toBe(55);
  });

  it.each([10, 60, 600])('publishes each ping of %i s with the shortest threshold', (ping) => {
    const variables = {
      PRESENCE_PING_SECONDS: String(ping),
      PRESENCE_OFFLINE_SECONDS: String(3 * ping + 20),
    };
    expect(timingWith(variables).updateMinimumSeconds).toBe(ping - 5);
  });

  it.each([
    [60, 380, 235],
    [90, 560, 355],
  ])('publishes every fourth ping of %i s for a threshold of %i s', (ping, offline, minimum) => {
    const intervals = { pingIntervalSeconds: ping, offlineThresholdSeconds: offline };
    expect(presenceTimingOf(intervals).updateMinimumSeconds).toBe(minimum);
  });
});
