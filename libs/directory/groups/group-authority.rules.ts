import type { UserGroupPermissions } from './user-group-permissions.js';

/** The changes of a group that an account may make. */
export interface GroupAuthority {
  readonly mayManage: boolean;
  readonly mayAdd: boolean;
  readonly mayRemove: boolean;
  /** Add or remove itself. */
  readonly mayJoin: boolean;
  readonly mayLeave: boolean;
}

/** A group and who may change it. */
interface GuardedGroup extends Omit<UserGroupPermissions, 'canMentionId'> {
  readonly isSystem: boolean;
  /** The group that may manage all groups. */
  readonly manageAllId: number;
}

/** The changes that an account in `groups` may make. No account may change a system group. */
export function authorityIn(guarded: GuardedGroup, groups: ReadonlySet<number>): GroupAuthority {
  const may = (...ids: readonly number[]) => !guarded.isSystem && ids.some((id) => groups.has(id));
  const managers = [guarded.manageAllId, guarded.canManageId];
  return {
    mayManage: may(...managers),
    mayAdd: may(...managers, guarded.canAddMembersId),
    mayRemove: may(...managers, guarded.canRemoveMembersId),
    mayJoin: may(...managers, guarded.canJoinId),
    mayLeave: may(...managers, guarded.canLeaveId),
  };
}

/** Ids to add to a group and to remove from it. */
export interface ListChange {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** Whether the account may change the members. Everyone who may join or leave may do only that. */
export const mayChangeMembers = (
  { mayAdd, mayRemove, mayJoin, mayLeave }: GroupAuthority,
  userId: number,
  { add, remove }: ListChange,
): boolean => {
  const isSelf = (ids: readonly number[]) => ids.every((id) => id === userId);
  return (
    (add.length === 0 || mayAdd || (mayJoin && isSelf(add))) &&
    (remove.length === 0 || mayRemove || (mayLeave && isSelf(remove)))
  );
};

/** Whether the account may change the subgroups. */
export const mayChangeSubgroups = (
  { mayAdd, mayRemove }: GroupAuthority,
  { add, remove }: ListChange,
): boolean => (add.length === 0 || mayAdd) && (remove.length === 0 || mayRemove);
