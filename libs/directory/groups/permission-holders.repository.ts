import { Injectable } from '@nestjs/common';
import { ApiError, isRowId } from '#platform/contracts';
import { queryRow, type Transaction } from '#platform/database';
import type { GroupSettingValue } from './group-setting.repository.js';
import { requireGroupMembers } from './group-size.repository.js';
import { holdersIn } from './group-setting.rules.js';
import { userGroupErrors } from './user-groups.errors.js';

// A deactivation of the groups waits, and then finds the permission.
const SELECT_UNKNOWN = `
  WITH held AS (
    SELECT id FROM user_groups
    WHERE id = ANY($2::int[]) AND realm_id = $1 AND name IS NOT NULL AND deactivated_at IS NULL
    ORDER BY id FOR SHARE
  )
  SELECT
    (SELECT min(given.id) FROM unnest($2::int[]) AS given (id)
      WHERE NOT EXISTS (SELECT FROM held WHERE held.id = given.id)) AS "groupId",
    (SELECT min(given.id) FROM unnest($3::int[]) AS given (id) WHERE NOT EXISTS (
      SELECT FROM users u WHERE u.id = given.id AND u.realm_id = $1 AND u.is_active
    )) AS "userId"`;

const CREATE = `
  WITH created AS (INSERT INTO user_groups (realm_id) VALUES ($1) RETURNING id),
  members AS (
    INSERT INTO user_group_members (group_id, user_id) SELECT id, unnest($2::int[]) FROM created
  ),
  subgroups AS (
    INSERT INTO user_group_subgroups (supergroup_id, subgroup_id)
    SELECT id, unnest($3::int[]) FROM created
  )
  SELECT id FROM created`;

const DELETE_NAMELESS = `DELETE FROM user_groups WHERE id = ANY($1::int[]) AND name IS NULL`;

/** So many holders are stored without a count of all: channels are created with one or two. */
const FEW_HOLDERS = 20;

/** Stores the holders of permissions as groups. */
@Injectable()
export class PermissionHoldersRepository {
  /**
   * Resolves with the group of each value in its simplest form, in order: a named group stays itself, single members and
   * groups become a group without a name. Rejects with `invalidUserGroupId` and `invalidHolder` for holders that the
   * organisation does not have or has deactivated.
   */
  async store(
    transaction: Transaction,
    realmId: number,
    values: readonly GroupSettingValue[],
  ): Promise<number[]> {
    await this.#check(transaction, realmId, values);
    const ids: number[] = [];
    for (const value of values) ids.push(await this.storeOne(transaction, realmId, value));
    return ids;
  }

  /** The same for one value, without a check of its holders. */
  async storeOne(
    transaction: Transaction,
    realmId: number,
    value: GroupSettingValue,
  ): Promise<number> {
    if (typeof value === 'number') return value;
    const values = [realmId, value.direct_members, value.direct_subgroups];
    const { id } = await queryRow<{ id: number }>(transaction, 'create_holders', CREATE, values);
    if (value.direct_members.length > FEW_HOLDERS) await requireGroupMembers(transaction, realmId);
    return id;
  }

  /** Deletes those of the groups that have no name; nothing may refer to them any more. */
  async deleteNameless(transaction: Transaction, groupIds: readonly number[]): Promise<void> {
    if (groupIds.length === 0) return;
    await transaction.query('delete_replaced_holders', DELETE_NAMELESS, [groupIds]);
  }

  async #check(
    transaction: Transaction,
    realmId: number,
    values: readonly GroupSettingValue[],
  ): Promise<void> {
    const { groupIds, userIds } = holdersIn(values);
    if (groupIds.length + userIds.length === 0) return;
    const [unknown] = await transaction.query<{ groupId: number | null; userId: number | null }>(
      'unknown_holders',
      SELECT_UNKNOWN,
      [realmId, groupIds.filter(isRowId), userIds.filter(isRowId)],
    );
    // An id beyond the range of the column is unknown without a statement.
    const groupId = groupIds.find((id) => !isRowId(id)) ?? unknown?.groupId ?? null;
    const userId = userIds.find((id) => !isRowId(id)) ?? unknown?.userId ?? null;
    if (groupId !== null) throw new ApiError(userGroupErrors.invalidUserGroupId, { id: groupId });
    if (userId !== null) throw new ApiError(userGroupErrors.invalidHolder, { id: userId });
  }
}
