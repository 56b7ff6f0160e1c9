import { Injectable } from '@nestjs/common';
import { isRowId } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { ListChange } from './group-authority.rules.js';
import { planSubgroups, type SubgroupState } from './subgroup-change.rules.js';

/** A group whose subgroups change, and its organisation. */
interface Supergroup {
  readonly realmId: number;
  readonly groupId: number;
}

interface StateRow {
  readonly id: number;
  readonly isDeactivated: boolean;
  readonly isSubgroup: boolean;
}

const CHANGE = `
  WITH added AS (
    INSERT INTO user_group_subgroups (supergroup_id, subgroup_id) SELECT $1, unnest($2::int[])
  )
  DELETE FROM user_group_subgroups WHERE supergroup_id = $1 AND subgroup_id = ANY($3::int[])`;

const SELECT_STATE = `
  SELECT g.id, g.deactivated_at IS NOT NULL AS "isDeactivated",
    s.subgroup_id IS NOT NULL AS "isSubgroup"
  FROM user_groups g
  LEFT JOIN user_group_subgroups s ON s.supergroup_id = $2 AND s.subgroup_id = g.id
  WHERE g.id = ANY($3::int[]) AND g.realm_id = $1 AND g.name IS NOT NULL`;

const WOULD_CREATE_CYCLE = `
  WITH RECURSIVE above (id) AS (
    SELECT $1::int
    UNION
    SELECT s.supergroup_id FROM user_group_subgroups s JOIN above ON s.subgroup_id = above.id
  )
  SELECT EXISTS (SELECT 1 FROM above WHERE id = ANY($2::int[])) AS "wouldCreateCycle"`;

/** Changes which groups are subgroups of others. */
@Injectable()
export class SubgroupRepository {
  /**
   * The direct subgroups of a group to add and to remove. Needs the lock of `lockRealm`. Rejects as `planSubgroups` does.
   */
  async plan(
    transaction: Transaction,
    supergroup: Supergroup,
    wanted: ListChange,
  ): Promise<ListChange> {
    const state = await readState(transaction, supergroup, wanted);
    return planSubgroups(supergroup.groupId, wanted, state);
  }

  /** Stores a planned change under the same lock. */
  async change(
    transaction: Transaction,
    groupId: number,
    { add, remove }: ListChange,
  ): Promise<void> {
    await transaction.query('change_subgroups', CHANGE, [groupId, add, remove]);
  }
}

async function readState(
  transaction: Transaction,
  { realmId, groupId }: Supergroup,
  { add, remove }: ListChange,
): Promise<SubgroupState> {
  const rows = await transaction.query<StateRow>('state_of_subgroups', SELECT_STATE, [
    realmId,
    groupId,
    [...add, ...remove].filter(isRowId),
  ]);
  const [cycle] = await transaction.query<{ wouldCreateCycle: boolean }>(
    'would_create_cycle',
    WOULD_CREATE_CYCLE,
    [groupId, add.filter(isRowId)],
  );
  return {
    groups: new Map(rows.map(({ id, ...group }) => [id, group])),
    wouldCreateCycle: cycle?.wouldCreateCycle === true,
  };
}
