import { Injectable } from '@nestjs/common';
import { Database } from '#database';
import type { UserGroupPermission } from './user-group-permissions.js';

/** A group that has a name, as its row has it. */
export interface StoredUserGroup extends Readonly<Record<UserGroupPermission, number | null>> {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly isSystem: boolean;
  readonly creatorId: number | null;
  readonly createdAt: Date | null;
  readonly deactivatedAt: Date | null;
}

/** A group with those that stand in it directly, in the order of their ids. */
export interface PeopledUserGroup extends StoredUserGroup {
  /** The active accounts. */
  readonly members: number[];
  readonly subgroups: number[];
}

/** A group with what its organisation says of all groups. */
export interface GovernedUserGroup extends StoredUserGroup {
  readonly canManageAllGroupsId: number | null;
}

const COLUMNS = `
  g.id, g.name, g.description, g.is_system AS "isSystem", g.creator_id AS "creatorId",
  g.created_at AS "createdAt", g.deactivated_at AS "deactivatedAt",
  g.can_add_members_id AS "canAddMembersId", g.can_join_id AS "canJoinId",
  g.can_leave_id AS "canLeaveId", g.can_manage_id AS "canManageId",
  g.can_mention_id AS "canMentionId", g.can_remove_members_id AS "canRemoveMembersId"`;

// Members are asked for group by group, since the view finds a system group's people only by its id; the
// organisation is named once more so that the accounts of others are not read.
const SELECT_ALL = `
  SELECT ${COLUMNS},
    ARRAY(
      SELECT m.user_id FROM user_group_direct_members m JOIN users u ON u.id = m.user_id
      WHERE m.group_id = g.id AND u.realm_id = $1 AND u.is_active ORDER BY 1
    ) AS members,
    ARRAY(
      SELECT s.subgroup_id FROM user_group_subgroups s WHERE s.supergroup_id = g.id ORDER BY 1
    ) AS subgroups
  FROM user_groups g
  WHERE g.realm_id = $1 AND g.name IS NOT NULL AND (g.deactivated_at IS NULL OR $2)
  ORDER BY g.id`;

const SELECT_ONE = `
  SELECT ${COLUMNS}, r.can_manage_all_groups_id AS "canManageAllGroupsId"
  FROM user_groups g JOIN realms r ON r.id = g.realm_id
  WHERE g.realm_id = $1 AND g.id = $2 AND g.name IS NOT NULL`;

/** The groups that people know of: those without a name are permissions, and nobody's group. */
@Injectable()
export class UserGroupRepository {
  constructor(private readonly database: Database) {}

  /** The groups of an organisation in the order of their ids, with their people: one statement. */
  async list(realmId: number, withDeactivated: boolean): Promise<PeopledUserGroup[]> {
    return this.database.query<PeopledUserGroup>('user_groups', SELECT_ALL, [
      realmId,
      withDeactivated,
    ]);
  }

  /** A group of the organisation, deactivated ones included; null when there is none. */
  async find(realmId: number, groupId: number): Promise<GovernedUserGroup | null> {
    const [group] = await this.database.query<GovernedUserGroup>('user_group', SELECT_ONE, [
      realmId,
      groupId,
    ]);
    return group ?? null;
  }
}
