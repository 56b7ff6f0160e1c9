import { describe, expect, it } from '@jest/globals';
import { isAdministrator, isGuest, roles } from './roles.js';

describe(isAdministrator.name, () => {
  it.each([
    [roles.owner, true],
    [roles.administrator, true],
    [roles.moderator, false],
    [roles.member, false],
    [roles.guest, false],
  ])('is for role %i: %s', (role, expected) => {
    expect(isAdministrator(role)).toBe(expected);
  });
});

describe(isGuest.name, () => {
  it.each([
    [roles.owner, false],
    [roles.member, false],
    [roles.guest, true],
  ])('is for role %i: %s', (role, expected) => {
    expect(isGuest(role)).toBe(expected);
  });
});
