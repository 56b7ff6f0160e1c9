import { Injectable } from '@nestjs/common';
import { lockAndCheckRoom, type Transaction } from '#platform/database';
import type { ListChange } from './group-authority.rules.js';
import type { UserGroupPermission } from './user-group-permissions.js';

/** The columns of a group to set; null or a missing one stays unchanged. */
export interface UserGroupColumns extends Partial<Readonly<Record<UserGroupPermission, number>>> {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
}

const INSERT = `
  INSERT INTO user_groups (
    realm_id, name, description, creator_id, created_at, can_add_members_id, can_join_id,
    can_leave_id, can_manage_id, can_mention_id, can_remove_members_id
  )
  VALUES ($1, $2, $3, $4, now(), $5, $6, $7, $8, $9, $10)
  ON CONFLICT (realm_id, name) DO NOTHING
  RETURNING id`;

const UPDATE = `
  UPDATE user_groups SET name = coalesce($2, name), description = coalesce($3, description),
    can_add_members_id = coalesce($4, can_add_members_id), can_join_id = coalesce($5, can_join_id),
    can_leave_id = coalesce($6, can_leave_id), can_manage_id = coalesce($7, can_manage_id),
    can_mention_id = coalesce($8, can_mention_id),
    can_remove_members_id = coalesce($9, can_remove_members_id)
  WHERE id = $1`;

const HAS_NAME = `SELECT FROM user_groups WHERE realm_id = $1 AND name_key(name) = name_key($2) AND id <> $3`;

const SET_DEACTIVATED = `
  UPDATE user_groups SET deactivated_at = CASE WHEN $2::boolean THEN now() END WHERE id = $1`;

const CHANGE_MEMBERS = `
  WITH added AS (
    INSERT INTO user_group_members (group_id, user_id) SELECT $1, unnest($2::int[])
  )
  DELETE FROM user_group_members WHERE group_id = $1 AND user_id = ANY($3::int[])`;

const groupsOfRealm = { table: 'user_groups', owner: 'realm_id', where: 'name IS NOT NULL' };

/** Writes groups. Every method needs the lock of `lockRealm`. */
@Injectable()
export class UserGroupChangeRepository {
  /** Resolves with the id of the new group; null if a group has the name or one with the same key, also a deactivated one. */
  async insert(
    transaction: Transaction,
    { realmId, creatorId }: { readonly realmId: number; readonly creatorId: number },
    columns: UserGroupColumns & { readonly name: string },
  ): Promise<number | null> {
    if (await this.isNameTaken(transaction, realmId, columns.name, 0)) return null;
    const [row] = await transaction.query<{ id: number }>('create_user_group', INSERT, [
      realmId,
      columns.name,
      columns.description,
      creatorId,
      ...permissionsOf(columns),
    ]);
    return row?.id ?? null;
  }

  /** Whether an organisation has room for a group with a name; deactivated ones count. */
  async lockAndCheckRoom(
    transaction: Transaction,
    realmId: number,
    limit: number,
  ): Promise<boolean> {
    return lockAndCheckRoom(transaction, groupsOfRealm, realmId, limit);
  }

  /** Sets columns of a group. The name must be free. */
  async update(
    transaction: Transaction,
    groupId: number,
    columns: UserGroupColumns,
  ): Promise<void> {
    const values = [groupId, columns.name ?? null, columns.description ?? null];
    await transaction.query('update_user_group', UPDATE, [...values, ...permissionsOf(columns)]);
  }

  /** Whether another group of the organisation has the name or one with the same key. */
  async isNameTaken(
    transaction: Transaction,
    realmId: number,
    name: string,
    groupId: number,
  ): Promise<boolean> {
    const values = [realmId, name, groupId];
    return (await transaction.query('user_group_by_name', HAS_NAME, values)).length > 0;
  }

  /** Deactivates a group, or reactivates it. */
  async setDeactivated(
    transaction: Transaction,
    groupId: number,
    isDeactivated: boolean,
  ): Promise<void> {
    await transaction.query('deactivate_user_group', SET_DEACTIVATED, [groupId, isDeactivated]);
  }

  /** Adds direct members that the group does not have, and removes others. */
  async changeMembers(
    transaction: Transaction,
    groupId: number,
    { add, remove }: ListChange,
  ): Promise<void> {
    await transaction.query('change_group_members', CHANGE_MEMBERS, [groupId, add, remove]);
  }
}

const permissionsOf = (columns: UserGroupColumns): (number | null)[] => [
  columns.canAddMembersId ?? null,
  columns.canJoinId ?? null,
  columns.canLeaveId ?? null,
  columns.canManageId ?? null,
  columns.canMentionId ?? null,
  columns.canRemoveMembersId ?? null,
];
