import { ApiError } from '#platform/contracts';
import type { ListChange } from './group-authority.rules.js';
import { userGroupErrors } from './user-groups.errors.js';

/** The stored state that a change depends on, read under a lock. */
export interface SubgroupState {
  /** The groups of the organisation among the ids of the change. */
  readonly groups: ReadonlyMap<
    number,
    { readonly isDeactivated: boolean; readonly isSubgroup: boolean }
  >;
  /** Whether a group to add is the supergroup itself or contains it, directly or indirectly. */
  readonly wouldCreateCycle: boolean;
}

/**
 * The direct subgroups to insert and to delete. Removals follow the additions. Throws ApiError for the first error: those of the
 * additions come first, in their order, then those of the removals.
 */
export function planSubgroups(
  supergroupId: number,
  change: ListChange,
  state: SubgroupState,
): ListChange {
  const added = new Set(change.add);
  const removed = new Set(change.remove);
  validateAdditions(supergroupId, added, state);
  validateRemovals(removed, added, state);
  return {
    add: [...added].filter((id) => !removed.has(id)),
    remove: [...removed].filter((id) => !added.has(id)),
  };
}

function validateAdditions(
  supergroupId: number,
  added: ReadonlySet<number>,
  { groups, wouldCreateCycle }: SubgroupState,
): void {
  validateIds(added, groups);
  for (const id of added) {
    if (groups.get(id)?.isDeactivated === true)
      throw new ApiError(userGroupErrors.userGroupDeactivated);
  }
  for (const id of added) {
    if (groups.get(id)?.isSubgroup === true)
      throw new ApiError(userGroupErrors.alreadySubgroup, { id });
  }
  if (wouldCreateCycle) throw new ApiError(userGroupErrors.subgroupCycle, { id: supergroupId });
}

function validateRemovals(
  removed: ReadonlySet<number>,
  added: ReadonlySet<number>,
  { groups }: SubgroupState,
): void {
  validateIds(removed, groups);
  for (const id of removed) {
    if (groups.get(id)?.isSubgroup !== true && !added.has(id)) {
      throw new ApiError(userGroupErrors.notASubgroup, { id });
    }
  }
}

function validateIds(ids: ReadonlySet<number>, groups: SubgroupState['groups']): void {
  for (const id of ids)
    if (!groups.has(id)) throw new ApiError(userGroupErrors.invalidUserGroupId, { id });
}
