import { describe, expect, it } from '@jest/globals';
import { type SystemGroupIds, type SystemGroupName, systemGroups } from '#user-groups';
import { isForAnnouncements, isHistoryPublic, postPolicyOf } from './channel-policy.rules.js';

// Of the names of all system groups, which fromEntries forgets.
const ids = Object.fromEntries(
  systemGroups.map(({ name }, index) => [name, index + 1]),
) as SystemGroupIds;
const A_GROUP = 100;

describe(postPolicyOf.name, () => {
  it.each<[SystemGroupName, number]>([
    ['role:everyone', 1],
    ['role:members', 1],
    ['role:administrators', 2],
    ['role:fullmembers', 3],
    ['role:moderators', 4],
    ['role:owners', 1],
    ['role:nobody', 1],
  ])('of %s is %i', (group, policy) => {
    expect(postPolicyOf(ids[group], ids)).toBe(policy);
  });

  it('takes a group of the organisation’s own for anyone', () => {
    expect(postPolicyOf(A_GROUP, ids)).toBe(1);
  });
});

describe(isForAnnouncements.name, () => {
  it.each([
    [1, false],
    [2, true],
    [3, false],
    [4, false],
  ])('of policy %i is %s', (policy, expected) => {
    expect(isForAnnouncements(policy)).toBe(expected);
  });
});

describe(isHistoryPublic.name, () => {
  it.each([
    ['a public channel', null, false, true],
    ['a private channel', null, true, false],
    ['a private channel that shares it', true, true, true],
    ['a public channel that does not', false, false, false],
  ])('of %s', (_what, stored, isPrivate, expected) => {
    expect(isHistoryPublic({ isHistoryPublic: stored, isPrivate })).toBe(expected);
  });
});
