import { describe, expect, it } from '@jest/globals';
import { renderMarkdown } from '#markdown';
import type { NamedThing } from './mention.repository.js';
import { calledIn, callingGroups, contextOf } from './mentions.rules.js';

const user = (name: string, id: number, givenId: number | null = null): NamedThing => ({
  kind: 'user',
  name,
  givenId,
  id,
});
const group = (name: string, id: number): NamedThing => ({
  kind: 'group',
  name,
  givenId: null,
  id,
});

const context = contextOf([
  user('Rita', 7),
  user('Otto', 8),
  user('Nora', 9),
  user('Nora', 10),
  user('Nora', 10, 10),
  group('crew', 20),
]);

const nobody = { userIds: [], groupIds: [], isEveryone: false };

describe(calledIn.name, () => {
  it.each([
    ['nothing', 'Hello', {}],
    ['an account', '@**Rita**', { userIds: [7] }],
    ['an account twice', '@**Rita** @**Rita**', { userIds: [7] }],
    ['two', '@**Rita**, @**Otto**', { userIds: [7, 8] }],
    ['a group', '@*crew*', { groupIds: [20] }],
    ['everyone', '@**all**', { isEveryone: true }],
    ['nobody silently', '@_**Rita** @_*crew* @_**all**', {}],
    ['nobody in code', '`@**Rita**`', {}],
    ['nobody in a block of code', '```\n@**Rita**\n```', {}],
    ['nobody in a quote', '> @**Rita**', {}],
    ['who comes after a quote', '> a\n> > @**Rita**\n\n@**Otto**', { userIds: [8] }],
    ['nobody behind a backslash', String.raw`\@**Rita**`, {}],
    ['nobody by HTML', '<span class="user-mention" data-user-id="7">x</span>', {}],
    ['nobody by HTML in code', '`<span class="user-mention" data-user-id="7">`', {}],
    ['an account among other marks', '*Look @**Rita** here*', { userIds: [7] }],
    ['an account in a list', '- one\n- @**Rita**', { userIds: [7] }],
    ['a namesake by number', '@**Nora|10**', { userIds: [10] }],
    ['no namesake without a number', '@**Nora**', {}],
  ])('finds %s', (_what, source, expected) => {
    expect(calledIn(renderMarkdown(source, context))).toEqual({ ...nobody, ...expected });
  });

  it('finds as many as a long message can call', () => {
    const source = '@**Rita** '.repeat(1000);
    expect(calledIn(renderMarkdown(source, context))).toEqual({ ...nobody, userIds: [7] });
  });
});

describe(contextOf.name, () => {
  it('knows names by their kind', () => {
    const { findUser, findGroup, findChannel } = contextOf([user('x', 1), group('x', 2)]);
    expect([findUser('x', undefined), findGroup('x'), findChannel('x')]).toEqual([1, 2, undefined]);
  });

  it('takes a name that several have for nobody, and their numbers for themselves', () => {
    const { findUser } = contextOf([user('x', 1), user('x', 2), user('x', 3), user('x', 2, 2)]);
    expect(findUser('x', undefined)).toBeUndefined();
    expect(findUser('x', 2)).toBe(2);
    expect(findUser('x', 1)).toBeUndefined();
  });
});

describe(callingGroups.name, () => {
  const inGroup = (groupId: number, ...userIds: number[]) =>
    userIds.map((userId) => ({ groupId, userId }));

  it('tells of each account the smallest group that calls it', () => {
    const members = [...inGroup(20, 1, 2, 3), ...inGroup(21, 1, 2), ...inGroup(22, 3, 4)];
    expect(callingGroups(members, [])).toEqual(
      new Map([
        [1, 21],
        [2, 21],
        [3, 22],
        [4, 22],
      ]),
    );
  });

  it('tells of groups of one size the older', () => {
    const members = [...inGroup(21, 1, 2), ...inGroup(20, 1, 2)];
    expect(callingGroups(members, []).get(1)).toBe(20);
  });

  it('tells nothing of who is called by name', () => {
    expect(callingGroups(inGroup(20, 1, 2), [2])).toEqual(new Map([[1, 20]]));
  });
});
