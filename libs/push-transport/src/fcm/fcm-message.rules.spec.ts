import { describe, expect, it } from '@jest/globals';
import { androidTimeToLiveSeconds, fcmBody } from './fcm-message.rules.js';

const now = 1_700_000_000_000;

describe(androidTimeToLiveSeconds.name, () => {
  it.each([
    [3_600_999, 3600],
    [999, 0],
    [-5000, 0],
  ])('of what ends in %d ms is %d', (inMs, seconds) => {
    expect(androidTimeToLiveSeconds({ expiresAt: now + inMs }, now)).toBe(seconds);
  });
});

describe(fcmBody.name, () => {
  it('is the message that HTTP v1 takes, around data that is JSON already', () => {
    const content = { kind: 'test' as const, time: 1 };
    const push = { token: 'fGx:"APA"', expiresAt: now + 60_000, content };
    expect(JSON.parse(fcmBody(push, '{"event":"test"}', now))).toEqual({
      message: {
        token: 'fGx:"APA"',
        data: { event: 'test' },
        android: { priority: 'high', ttl: '60s' },
      },
    });
  });
});
