import { describe, expect, it } from '@jest/globals';
import { normalizeGroupName } from './group-name.rules.js';

describe(normalizeGroupName.name, () => {
  it.each([
    [' cooks ', 'cooks'],
    ['x'.repeat(100), 'x'.repeat(100)],
    ['🙂'.repeat(100), '🙂'.repeat(100)],
    ['a role: cook', 'a role: cook'],
  ])('takes %j', (given, stored) => {
    expect(normalizeGroupName(given)).toBe(stored);
  });

  it.each([
    [' \n', "User group name can't be empty!"],
    ['x'.repeat(101), 'User group name cannot exceed 100 characters.'],
    ['a\nb', 'Invalid character in user group name, at position 2.'],
    ['@cooks', "User group name cannot start with '@'."],
    [' role:cooks', "User group name cannot start with 'role:'."],
    ['channel:x', "User group name cannot start with 'channel:'."],
  ])('refuses %j', (given, text) => {
    expect(() => normalizeGroupName(given)).toThrow(text);
  });
});
