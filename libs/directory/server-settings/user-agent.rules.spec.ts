import { describe, expect, it } from '@jest/globals';
import { isIncompatible } from './user-agent.rules.js';

describe(isIncompatible.name, () => {
  it.each(['ZulipInvalid', 'ZulipInvalid/5.0', 'ZulipInvalid/5.0 (Linux)', 'ZulipInvalid (x)'])(
    'is true for "%s"',
    (userAgent) => {
      expect(isIncompatible(userAgent)).toBe(true);
    },
  );

  it.each(
    [
      ['', 'zulipinvalid/5.0', 'ZulipInvalidator/1', 'ZulipFlutter/1.0', 'Other ZulipInvalid/5.0'],
      [
        'ZulipPython/0.9.1 (Ubuntu; 22.04)',
        'node-fetch/1.0 (+https://example.org)',
        '/ZulipInvalid',
      ],
    ].flat(),
  )('is false for "%s"', (userAgent) => {
    expect(isIncompatible(userAgent)).toBe(false);
  });
});
