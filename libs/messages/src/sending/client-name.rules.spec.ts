import { describe, expect, it } from '@jest/globals';
import { clientName } from './client-name.rules.js';

describe(clientName.name, () => {
  it.each([
    ['ChatMobile/30.0 (Android 15)', 'ChatMobile'],
    ['curl', 'curl'],
    [' Some Program /1', 'Some Program'],
    ['', ''],
    ['/1.0', ''],
    [undefined, ''],
    ['x'.repeat(61), 'x'.repeat(60)],
  ])('reads %j as %j', (userAgent, name) => {
    expect(clientName(userAgent)).toBe(name);
  });
});
