import { describe, expect, it } from '@jest/globals';
import { substitutedUserId, substituteIdentity } from './substitute-identity.rules.js';

describe(substituteIdentity.name, () => {
  it('has no name, and an address of user id and host', () => {
    expect(substituteIdentity(24, 'team.chat.example.org')).toEqual({
      email: 'user24@team.chat.example.org',
      fullName: 'Unknown user',
    });
  });
});

describe(substitutedUserId.name, () => {
  const host = 'team.chat.example.org';

  it('finds the user of a substitute address, case-insensitively', () => {
    const { email } = substituteIdentity(24, host);
    expect(substitutedUserId(email, host)).toBe(24);
    expect(substitutedUserId(email.toUpperCase(), host)).toBe(24);
  });

  it.each([
    'user24@chat.example.org',
    'user024@team.chat.example.org',
    'user@team.chat.example.org',
    'xuser24@team.chat.example.org',
    'user24@team.chat.example.org.',
    'user12345678901@team.chat.example.org',
  ])('takes %s for nobody’s', (email) => {
    expect(substitutedUserId(email, host)).toBeNull();
  });
});
