import { describe, expect, it } from '@jest/globals';
import type { NamedObject } from './mention.repository.js';
import { contextOf, mentionedVia } from './mentions.rules.js';

const user = (name: string, id: number, givenId: number | null = null): NamedObject => ({
  kind: 'user',
  name,
  givenId,
  id,
});
const group = (name: string, id: number): NamedObject => ({
  kind: 'group',
  name,
  givenId: null,
  id,
});

describe(contextOf.name, () => {
  it('finds a name by its kind', () => {
    const { findUser, findGroup, findChannel } = contextOf([user('x', 1), group('x', 2)]);
    expect([findUser('x', undefined), findGroup('x'), findChannel('x')]).toEqual([1, 2, undefined]);
  });

  it('finds the first of several accounts with a name, unless the source gives an id', () => {
    const { findUser } = contextOf([user('x', 1), user('x', 2), user('x', 3), user('x', 2, 2)]);
    expect(findUser('x', undefined)).toBe(1);
    expect(findUser('x', 2)).toBe(2);
    expect(findUser('x', 1)).toBeUndefined();
  });
});

describe(mentionedVia.name, () => {
  const inGroup = (groupId: number, ...userIds: number[]) =>
    userIds.map((userId) => ({ groupId, userId }));

  it('maps each account to the smallest group that mentions it', () => {
    const members = [...inGroup(20, 1, 2, 3), ...inGroup(21, 1, 2), ...inGroup(22, 3, 4)];
    expect(mentionedVia(members, [])).toEqual(
      new Map([
        [1, 21],
        [2, 21],
        [3, 22],
        [4, 22],
      ]),
    );
  });

  it('prefers the older of two groups of the same size', () => {
    const members = [...inGroup(21, 1, 2), ...inGroup(20, 1, 2)];
    expect(mentionedVia(members, []).get(1)).toBe(20);
  });

  it('omits accounts that are mentioned by name', () => {
    expect(mentionedVia(inGroup(20, 1, 2), [2])).toEqual(new Map([[1, 20]]));
  });
});
