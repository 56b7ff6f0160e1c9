import { describe, expect, it } from '@jest/globals';
import type { SystemGroupIds } from './system-group.repository.js';
import { resolveUserGroupPermissions } from './user-group-permissions.js';

const systemGroups: SystemGroupIds = {
  'role:owners': 1,
  'role:administrators': 2,
  'role:moderators': 3,
  'role:fullmembers': 4,
  'role:members': 5,
  'role:everyone': 6,
  'role:internet': 7,
  'role:nobody': 8,
};
const unset = {
  canAddMembersId: null,
  canJoinId: null,
  canLeaveId: null,
  canManageId: null,
  canMentionId: null,
  canRemoveMembersId: null,
};

describe(resolveUserGroupPermissions.name, () => {
  it('lets everyone mention and leave a group by default, and nobody change it', () => {
    expect(resolveUserGroupPermissions({ ...unset, isSystem: false }, systemGroups)).toEqual({
      canAddMembersId: 8,
      canJoinId: 8,
      canLeaveId: 6,
      canManageId: 8,
      canMentionId: 6,
      canRemoveMembersId: 8,
    });
  });

  it('gives nobody a permission on a system group', () => {
    expect(
      Object.values(resolveUserGroupPermissions({ ...unset, isSystem: true }, systemGroups)),
    ).toEqual([8, 8, 8, 8, 8, 8]);
  });

  it('keeps the stored permissions', () => {
    const stored = {
      canAddMembersId: 21,
      canJoinId: 22,
      canLeaveId: 23,
      canManageId: 24,
      canMentionId: 25,
      canRemoveMembersId: 26,
    };
    expect(resolveUserGroupPermissions({ ...stored, isSystem: false }, systemGroups)).toEqual(
      stored,
    );
    expect(resolveUserGroupPermissions({ ...stored, isSystem: true }, systemGroups)).toEqual(
      stored,
    );
  });
});
