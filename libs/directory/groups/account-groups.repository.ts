import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import type { UserGroupPermission } from './user-group-permissions.js';

/** A group with a name, and the accounts among the given ones that are its direct members. */
export interface GroupOfAccounts {
  readonly id: number;
  readonly isDeactivated: boolean;
  readonly userIds: number[];
}

/** The permissions of a group whose single holders include given accounts; null for the others. */
export interface SettingsWithAccounts extends Readonly<Record<UserGroupPermission, number | null>> {
  readonly id: number;
  readonly isDeactivated: boolean;
}

const SELECT_GROUPS = `
  SELECT g.id, g.deactivated_at IS NOT NULL AS "isDeactivated",
    array_agg(m.user_id ORDER BY m.user_id) AS "userIds"
  FROM user_group_direct_members m JOIN user_groups g ON g.id = m.group_id
  WHERE m.user_id = ANY($2::int[]) AND g.realm_id = $1 AND g.name IS NOT NULL
  GROUP BY g.id
  ORDER BY g.id`;

const isOfAccounts = (column: string): string =>
  `CASE WHEN g.${column} = ANY(nameless.ids) THEN g.${column} END`;

const SELECT_SETTINGS = `
  WITH nameless AS MATERIALIZED (
    SELECT ARRAY(
      SELECT g.id FROM user_group_members m JOIN user_groups g ON g.id = m.group_id
      WHERE m.user_id = ANY($2::int[]) AND g.realm_id = $1 AND g.name IS NULL
    ) AS ids
  )
  SELECT g.id, g.deactivated_at IS NOT NULL AS "isDeactivated",
    ${isOfAccounts('can_add_members_id')} AS "canAddMembersId",
    ${isOfAccounts('can_join_id')} AS "canJoinId",
    ${isOfAccounts('can_leave_id')} AS "canLeaveId",
    ${isOfAccounts('can_manage_id')} AS "canManageId",
    ${isOfAccounts('can_mention_id')} AS "canMentionId",
    ${isOfAccounts('can_remove_members_id')} AS "canRemoveMembersId"
  FROM nameless JOIN user_groups g ON g.realm_id = $1
  WHERE g.name IS NOT NULL AND cardinality(nameless.ids) > 0 AND nameless.ids && ARRAY[
    g.can_add_members_id, g.can_join_id, g.can_leave_id,
    g.can_manage_id, g.can_mention_id, g.can_remove_members_id
  ]
  ORDER BY g.id`;

/** Reads the groups that name accounts. */
@Injectable()
export class AccountGroupsRepository {
  constructor(private readonly database: Database) {}

  /** The groups with a name, system groups included, that accounts are direct members of. */
  async groupsOf(
    realmId: number,
    userIds: readonly number[],
    session: Session = this.database,
  ): Promise<GroupOfAccounts[]> {
    return session.query<GroupOfAccounts>('groups_of_accounts', SELECT_GROUPS, [realmId, userIds]);
  }

  /** The groups with permissions that single accounts hold. */
  async settingsWith(
    realmId: number,
    userIds: readonly number[],
    session: Session = this.database,
  ): Promise<SettingsWithAccounts[]> {
    return session.query<SettingsWithAccounts>('settings_with_accounts', SELECT_SETTINGS, [
      realmId,
      userIds,
    ]);
  }
}
