import { Injectable } from '@nestjs/common';
import { isRowId } from '#platform/contracts';
import { Database, type Session } from '#platform/database';
import { directMembersOf } from './direct-members.js';
import type { UserGroupPermission } from './user-group-permissions.js';

/** The row of a group with a name. */
interface UserGroupRow extends Readonly<Record<UserGroupPermission, number | null>> {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly isSystem: boolean;
  readonly creatorId: number | null;
  readonly createdAt: Date | null;
  readonly deactivatedAt: Date | null;
}

/** A group with its direct members and subgroups by id. */
export interface UserGroupWithMembers extends UserGroupRow {
  /** The active accounts. */
  readonly members: number[];
  readonly subgroups: number[];
}

/** A group, and the group with the permission to manage all groups of the organisation. */
export interface UserGroupWithPolicy extends UserGroupRow {
  readonly canManageAllGroupsId: number | null;
}

const COLUMNS = `
  g.id, g.name, g.description, g.is_system AS "isSystem", g.creator_id AS "creatorId",
  g.created_at AS "createdAt", g.deactivated_at AS "deactivatedAt",
  g.can_add_members_id AS "canAddMembersId", g.can_join_id AS "canJoinId",
  g.can_leave_id AS "canLeaveId", g.can_manage_id AS "canManageId",
  g.can_mention_id AS "canMentionId", g.can_remove_members_id AS "canRemoveMembersId"`;

const SELECT_ALL = `
  SELECT ${COLUMNS},
    ARRAY(
      SELECT m.user_id FROM ${directMembersOf('g.id')} AS m WHERE m.is_active ORDER BY 1
    ) AS members,
    ARRAY(
      SELECT s.subgroup_id FROM user_group_subgroups s WHERE s.supergroup_id = g.id ORDER BY 1
    ) AS subgroups
  FROM user_groups g
  WHERE g.realm_id = $1 AND g.name IS NOT NULL AND (g.deactivated_at IS NULL OR $2)
    AND ($3::int IS NULL OR g.id = $3)
  ORDER BY g.id`;

const SELECT_ONE = `
  SELECT ${COLUMNS}, r.can_manage_all_groups_id AS "canManageAllGroupsId"
  FROM user_groups g JOIN realms r ON r.id = g.realm_id
  WHERE g.realm_id = $1 AND g.id = $2 AND g.name IS NOT NULL`;

const SELECT_STATES = `
  SELECT id, deactivated_at IS NOT NULL AS "isDeactivated" FROM user_groups
  WHERE realm_id = $1 AND id = ANY($2::int[]) AND name IS NOT NULL`;

/** Reads groups with a name. Groups without a name hold the members of a permission. */
@Injectable()
export class UserGroupRepository {
  constructor(private readonly database: Database) {}

  /** The groups of an organisation in the order of their ids, with `groupId` only that one, with members: one statement. */
  async list(
    realmId: number,
    withDeactivated: boolean,
    session: Session = this.database,
    groupId: number | null = null,
  ): Promise<UserGroupWithMembers[]> {
    return session.query<UserGroupWithMembers>('user_groups', SELECT_ALL, [
      realmId,
      withDeactivated,
      groupId,
    ]);
  }

  /** Those of the groups that the organisation has, by their ids. */
  async statesOf(
    realmId: number,
    groupIds: readonly number[],
    session: Session = this.database,
  ): Promise<ReadonlyMap<number, { readonly isDeactivated: boolean }>> {
    const rows = await session.query<{ id: number; isDeactivated: boolean }>(
      'states_of_groups',
      SELECT_STATES,
      [realmId, groupIds.filter(isRowId)],
    );
    return new Map(rows.map(({ id, isDeactivated }) => [id, { isDeactivated }]));
  }

  /** A group of the organisation, active or deactivated; null for an unknown id. */
  async find(
    realmId: number,
    groupId: number,
    session: Session = this.database,
  ): Promise<UserGroupWithPolicy | null> {
    const [group] = await session.query<UserGroupWithPolicy>('user_group', SELECT_ONE, [
      realmId,
      groupId,
    ]);
    return group ?? null;
  }
}
