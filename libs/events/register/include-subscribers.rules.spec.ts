import { describe, expect, it } from '@jest/globals';
import { subscribersChoiceOf } from './include-subscribers.rules.js';

describe(subscribersChoiceOf.name, () => {
  it.each([
    ['true', true],
    ['false', false],
    ['partial', 'partial'],
    ['"partial"', 'partial'],
  ])('reads %s as %s', (given, choice) => {
    expect(subscribersChoiceOf(given)).toBe(choice);
  });

  it.each(['', 'True', 'all', '1'])('refuses "%s"', (given) => {
    expect(subscribersChoiceOf(given)).toBeNull();
  });
});
