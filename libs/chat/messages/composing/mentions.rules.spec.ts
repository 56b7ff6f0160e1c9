import { describe, expect, it } from '@jest/globals';
import type { MentionName } from './mention.repository.js';
import { contextOf, mentionedVia } from './mentions.rules.js';

const object = (kind: MentionName['kind'], id: number, fields: Partial<MentionName> = {}) => ({
  kind,
  name: 'x',
  ownName: 'X',
  isActive: true,
  givenId: null,
  id,
  ...fields,
});

describe(contextOf.name, () => {
  it('finds a name by its kind, in its own spelling', () => {
    const { findUser, findGroup, findChannel } = contextOf([object('user', 1), object('group', 2)]);
    expect(findUser('x', undefined)).toEqual({ id: 1, name: 'X', isActive: true });
    expect(findGroup('x')).toEqual({ id: 2, name: 'X', isActive: true });
    expect(findChannel('x')).toBeUndefined();
  });

  it('shows a system group by the name that clients have for it', () => {
    const { findGroup } = contextOf([
      object('group', 2, { name: 'role:owners', ownName: 'role:owners' }),
    ]);
    expect(findGroup('role:owners')).toMatchObject({ id: 2, name: 'Owners' });
  });

  it('finds the first of several accounts with a name, unless the source gives an id', () => {
    const { findUser } = contextOf([
      object('user', 1),
      object('user', 2),
      object('user', 3),
      object('user', 2, { givenId: 2 }),
    ]);
    expect(findUser('x', undefined)?.id).toBe(1);
    expect(findUser('x', 2)?.id).toBe(2);
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
