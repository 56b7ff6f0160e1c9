import { describe, expect, it } from '@jest/globals';
import { isAlarmed, maxAgedInHour, nextHour } from './token-ageing.rules.js';

const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 23);

describe(maxAgedInHour, () => {
  it.each([
    [1, 1],
    [39, 1],
    [40, 2],
    [1000, 50],
    [123_456, 6172],
  ])('spreads 5 %% of %i tokens over a day, and at least one: %i', (tokens, expected) => {
    const hours = Array.from({ length: 24 }, (_, hour) =>
      maxAgedInHour(tokens, MIDNIGHT + hour * HOUR_MS + 1234),
    );
    expect(hours.reduce((sum, aged) => sum + aged, 0)).toBe(expected);
    expect(Math.max(...hours)).toBeLessThanOrEqual(Math.ceil(expected / 24));
  });
});

describe(nextHour, () => {
  it('is later than now', () => {
    expect(nextHour(MIDNIGHT)).toBe(MIDNIGHT + HOUR_MS);
    expect(nextHour(MIDNIGHT + HOUR_MS - 1)).toBe(MIDNIGHT + HOUR_MS);
  });
});

describe(isAlarmed, () => {
  it.each([
    ['apns:org.a', true],
    ['apns:org.a of server 5', true],
    ['apns:org.ab', false],
    ['fcm', false],
    ['fcm:org.a', false],
  ])('for an app of Apple and an alarm of %s: %s', (name, expected) => {
    expect(isAlarmed('apns', 'org.a', ['apns:org.b', name])).toBe(expected);
  });

  it.each([
    ['fcm', true],
    ['fcm:fcm of server 5', true],
    ['apns:org.a', false],
  ])('for Google and an alarm of %s: %s', (name, expected) => {
    expect(isAlarmed('fcm', '', [name])).toBe(expected);
  });
});
