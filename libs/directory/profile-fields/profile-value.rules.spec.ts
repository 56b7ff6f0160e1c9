import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ApiError } from '#platform/contracts';
import type { FieldData } from './profile-field.js';
import { type ProfileInput, storedValue } from './profile-value.rules.js';

const people = new Set([10, 11]);
const choices = { vim: { text: 'Vim', order: '1' } };

const sut = (fieldType: number, value: ProfileInput, fieldData: FieldData | null = null) =>
  storedValue(
    {
      id: 1,
      name: 'Field',
      hint: '',
      fieldType,
      fieldData: fieldType === 3 ? choices : fieldData,
      position: 1,
      isInSummary: false,
      isRequired: true,
      isUserEditable: true,
      isForMatching: false,
    },
    value,
    people,
  );

describe(storedValue.name, () => {
  it.each<[number, ProfileInput, string]>([
    [1, ' text ', 'text'],
    [1, '🙂'.repeat(50), '🙂'.repeat(50)],
    [2, 'a\nb', 'a\nb'],
    [2, '🙂'.repeat(500), '🙂'.repeat(500)],
    [3, 'vim', 'vim'],
    [4, '2000-02-29', '2000-02-29'],
    [5, 'https://example.com/a?b=c', 'https://example.com/a?b=c'],
    [6, [10, 11, 10], '[10,11]'],
    [7, 'octocat', 'octocat'],
    [8, 'they/them', 'they/them'],
  ])('stores for type %d %j as %j', (fieldType, value, stored) => {
    expect(sut(fieldType, value)).toBe(stored);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('removes a value of type %d', (fieldType) => {
    expect(sut(fieldType, null)).toBeNull();
    expect(sut(fieldType, '')).toBeNull();
    expect(sut(fieldType, [])).toBeNull();
  });

  it.each<[number, ProfileInput, string]>([
    [1, '🙂'.repeat(51), 'Field is too long (limit: 50 characters)'],
    [7, 'a'.repeat(51), 'Field is too long (limit: 50 characters)'],
    [8, 'a'.repeat(51), 'Field is too long (limit: 50 characters)'],
    [2, 'a'.repeat(501), 'Field is too long (limit: 500 characters)'],
    [1, 'a\uD83D', 'Field has invalid format'],
    [1, [10], 'Field is not a string'],
    [3, 'emacs', "'emacs' is not a valid choice for 'Field'."],
    [3, 'toString', "'toString' is not a valid choice for 'Field'."],
    [3, '__proto__', "'__proto__' is not a valid choice for 'Field'."],
    [4, '2001-02-29', 'Field is not a date'],
    [4, '2001-2-3', 'Field is not a date'],
    [4, '01-02-2001', 'Field is not a date'],
    [4, '2001-02-03T00:00:00Z', 'Field is not a date'],
    [4, '+012001-02-03', 'Field is not a date'],
    [5, 'example.com', 'Field is not a URL'],
    [5, 'javascript:alert(1)', 'Field is not a URL'],
    [5, 'https://', 'Field is not a URL'],
    [5, 'https://a b', 'Field is not a URL'],
    [5, `https://a.example/${'a'.repeat(2000)}`, 'Field is too long (limit: 2000 characters)'],
    [6, '[10]', 'Field is not a list'],
    [6, [10, 12], 'Invalid user ID: 12'],
    [6, Array.from({ length: 101 }, () => 10), 'Field is too large'],
  ])('refuses for type %d %j', (fieldType, value, message) => {
    expect(() => sut(fieldType, value)).toThrow(message);
  });

  it('stores or rejects any value', () => {
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.integer()));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), value, (fieldType, given) => {
        expect(outcomeOf(fieldType, given)).not.toMatch(/^\s|\p{Surrogate}/u);
      }),
    );
  });
});

/** The stored value; null for an expected rejection. */
function outcomeOf(fieldType: number, given: ProfileInput): string {
  try {
    return sut(fieldType, given) ?? '';
  } catch (error) {
    if (error instanceof ApiError) return '';
    throw error;
  }
}
