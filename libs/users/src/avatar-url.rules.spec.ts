import { describe, expect, it } from '@jest/globals';
import { avatarUrl } from './avatar-url.rules.js';

describe(avatarUrl.name, () => {
  it('is the same for an address in whatever case, and another for another address', () => {
    expect(avatarUrl('Bob@Example.org')).toBe(avatarUrl('bob@example.org'));
    expect(avatarUrl('bob@example.org')).not.toBe(avatarUrl('alice@example.org'));
  });

  it('tells nobody the address', () => {
    expect(avatarUrl('bob@example.org')).toMatch(
      /^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{64}\?d=identicon&version=1$/,
    );
  });
});
