import { describe, expect, it } from '@jest/globals';
import { authorityIn, mayChangeMembers, mayChangeSubgroups } from './group-authority.rules.js';

const none = { mayManage: false, mayAdd: false, mayRemove: false, mayJoin: false, mayLeave: false };

const guarded = {
  isSystem: false,
  canAddMembersId: 1,
  canManageId: 2,
  canRemoveMembersId: 3,
  manageAllId: 4,
  canJoinId: 5,
  canLeaveId: 6,
};
const everything = {
  mayManage: true,
  mayAdd: true,
  mayRemove: true,
  mayJoin: true,
  mayLeave: true,
};

describe(authorityIn.name, () => {
  it.each([
    [[], none],
    [[1], { ...none, mayAdd: true }],
    [[2], everything],
    [[3], { ...none, mayRemove: true }],
    [[4], everything],
    [[5, 6], { ...none, mayJoin: true, mayLeave: true }],
  ])('for an account in %j', (groups, authority) => {
    expect(authorityIn(guarded, new Set(groups))).toEqual(authority);
  });

  it('is nothing for a system group', () => {
    const groups = new Set([1, 2, 3, 4, 5, 6]);
    expect(authorityIn({ ...guarded, isSystem: true }, groups)).toEqual(none);
  });
});

describe(mayChangeMembers.name, () => {
  it.each([
    [{}, { add: [7], remove: [] }, false],
    [{ mayJoin: true }, { add: [7], remove: [] }, true],
    [{ mayJoin: true }, { add: [7, 8], remove: [] }, false],
    [{ mayJoin: true }, { add: [], remove: [7] }, false],
    [{ mayLeave: true }, { add: [], remove: [7] }, true],
    [{ mayLeave: true }, { add: [], remove: [8] }, false],
    [{ mayAdd: true }, { add: [8], remove: [] }, true],
    [{ mayAdd: true }, { add: [8], remove: [9] }, false],
    [{ mayAdd: true, mayRemove: true }, { add: [8], remove: [9] }, true],
  ])('decides for account 7 with %j: %j is %s', (authority, change, isAllowed) => {
    expect(mayChangeMembers({ ...none, ...authority }, 7, change)).toBe(isAllowed);
  });
});

describe(mayChangeSubgroups.name, () => {
  it.each([
    [{ mayJoin: true, mayLeave: true }, { add: [1], remove: [] }, false],
    [{ mayAdd: true }, { add: [1], remove: [] }, true],
    [{ mayAdd: true }, { add: [], remove: [1] }, false],
    [{ mayRemove: true }, { add: [], remove: [1] }, true],
  ])('decides with %j: %j is %s', (authority, change, isAllowed) => {
    expect(mayChangeSubgroups({ ...none, ...authority }, change)).toBe(isAllowed);
  });
});
