import { ApiError } from '#contracts';
import type { UserGroupPermissions } from './user-group-permissions.js';

/** What is asked to become of a group's direct subgroups: first the one, then the other. */
export interface WantedSubgroups {
  readonly add: readonly number[];
  readonly remove: readonly number[];
}

/** What of the stored groups decides on a change, as of a moment in which nobody else makes one. */
export interface SubgroupSituation {
  /** Those of the wanted ids that are groups of the organisation. */
  readonly groups: ReadonlyMap<
    number,
    { readonly isDeactivated: boolean; readonly isSubgroup: boolean }
  >;
  /** Whether one of those to add is the supergroup itself, or holds it through however many subgroups. */
  readonly wouldClose: boolean;
}

/** What decides whether an account may change the subgroups of a group. */
export interface SubgroupGuard extends Pick<
  UserGroupPermissions,
  'canAddMembersId' | 'canManageId' | 'canRemoveMembersId'
> {
  readonly isSystem: boolean;
  readonly canManageAllGroupsId: number;
}

/** Whether an account that is in `groups` may make all of a change. */
export function maySetSubgroups(
  guard: SubgroupGuard,
  groups: ReadonlySet<number>,
  { add, remove }: WantedSubgroups,
): boolean {
  if (guard.isSystem) return false;
  if (groups.has(guard.canManageAllGroupsId) || groups.has(guard.canManageId)) return true;
  return (
    (add.length === 0 || groups.has(guard.canAddMembersId)) &&
    (remove.length === 0 || groups.has(guard.canRemoveMembersId))
  );
}

/**
 * The rows to be made and to be removed. Throws the ApiError of the first fault: of those to add, in
 * their order, then of those to remove.
 */
export function planSubgroups(
  supergroupId: number,
  wanted: WantedSubgroups,
  situation: SubgroupSituation,
): WantedSubgroups {
  const added = new Set(wanted.add);
  const removed = new Set(wanted.remove);
  refuseAdding(supergroupId, added, situation);
  refuseRemoving(removed, added, situation);
  return {
    add: [...added].filter((id) => !removed.has(id)),
    remove: [...removed].filter((id) => !added.has(id)),
  };
}

function refuseAdding(
  supergroupId: number,
  added: ReadonlySet<number>,
  { groups, wouldClose }: SubgroupSituation,
): void {
  refuseUnknown(added, groups);
  for (const id of added) {
    if (groups.get(id)?.isDeactivated === true) throw new ApiError('userGroupDeactivated');
  }
  for (const id of added) {
    if (groups.get(id)?.isSubgroup === true) throw new ApiError('alreadySubgroup', { id });
  }
  if (wouldClose) throw new ApiError('subgroupCycle', { id: supergroupId });
}

function refuseRemoving(
  removed: ReadonlySet<number>,
  added: ReadonlySet<number>,
  { groups }: SubgroupSituation,
): void {
  refuseUnknown(removed, groups);
  for (const id of removed) {
    if (groups.get(id)?.isSubgroup !== true && !added.has(id)) {
      throw new ApiError('notASubgroup', { id });
    }
  }
}

function refuseUnknown(ids: ReadonlySet<number>, groups: SubgroupSituation['groups']): void {
  for (const id of ids) if (!groups.has(id)) throw new ApiError('invalidUserGroupId', { id });
}
