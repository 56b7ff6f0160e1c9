import { describe, expect, it } from '@jest/globals';
import { idleSecondsOf, refuseIdleTimeout } from './idle-timeout.rules.js';

describe(idleSecondsOf.name, () => {
  it.each([
    ['1', 1],
    ['600', 600],
    ['604800', 604_800],
    ['604801', 604_800],
    ['99999999999999999999', 604_800],
    ['9'.repeat(1000), 604_800],
    ['mobile', 43_200],
    ['"mobile"', 43_200],
  ])('reads %s as %i seconds', (given, seconds) => {
    expect(idleSecondsOf(given)).toBe(seconds);
  });

  it.each(['0', '-1', '1.5', '', ' 600', 'desktop', '"600"', '1e3'])('refuses "%s"', (given) => {
    expect(idleSecondsOf(given)).toBeNull();
  });
});

describe(refuseIdleTimeout.name, () => {
  it.each([
    ['0', 'idle_queue_timeout is too small'],
    ['-5', 'idle_queue_timeout is too small'],
    ['desktop', 'Invalid idle_queue_timeout'],
    ['1.5', 'Invalid idle_queue_timeout'],
    ['9'.repeat(1001), 'Invalid idle_queue_timeout'],
  ])('says of %s: %s', (given, message) => {
    expect(refuseIdleTimeout(given).message).toBe(message);
  });
});
