import { describe, expect, it } from '@jest/globals';
import { substituteIdentity } from './substitute-identity.rules.js';

describe(substituteIdentity.name, () => {
  it('names nobody and makes an address of the user id and the host', () => {
    expect(substituteIdentity(24, 'team.chat.example.org')).toEqual({
      email: 'user24@team.chat.example.org',
      fullName: 'Unknown user',
    });
  });
});
