import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasMoreMembers } from './json-members.rules.js';

const objectOf = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, index) => [`k${index}`, index]));

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, one) => sum + countMembers(one), 0);
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}

describe(hasMoreMembers.name, () => {
  it('counts the members of an object', () => {
    expect(hasMoreMembers(JSON.stringify(objectOf(100)), 100)).toBe(false);
    expect(hasMoreMembers(JSON.stringify(objectOf(101)), 100)).toBe(true);
  });

  it('counts those of objects inside', () => {
    const inside = { list: [objectOf(50), { deep: objectOf(49) }] };
    expect(hasMoreMembers(JSON.stringify(inside), 101)).toBe(false);
    expect(hasMoreMembers(JSON.stringify(inside), 100)).toBe(true);
  });

  it('does not count what stands in texts', () => {
    const text = JSON.stringify({ text: '"a":1, \\":'.repeat(100) });
    expect(hasMoreMembers(text, 1)).toBe(false);
    expect(hasMoreMembers(text, 0)).toBe(true);
  });

  it('agrees with a parser about any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(5), (value, limit) => {
        const json = JSON.stringify(value);
        const expected = json.length > 4 * limit && countMembers(JSON.parse(json)) > limit;
        return hasMoreMembers(json, limit) === expected;
      }),
    );
  });
});
