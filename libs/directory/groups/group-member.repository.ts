import { Injectable } from '@nestjs/common';
import { isRowId } from '#platform/contracts';
import { Database, type Session } from '#platform/database';
import { directGroupsOf, directMembersOf } from './direct-members.js';

const SELECT_ACTIVE = `
  SELECT id FROM users WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active`;

const SELECT_ACCOUNT = `SELECT FROM users WHERE realm_id = $1 AND id = $2`;

/** SQL: the groups $2 of the organisation $1, and their subgroups unless $3. */
const CONTAINED = `
  contained (group_id) AS (
    SELECT id FROM user_groups WHERE realm_id = $1 AND id = ANY($2::int[])
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN contained ON s.supergroup_id = contained.group_id
    WHERE NOT $3::boolean
  )`;

const SELECT_DIRECT = `
  SELECT user_id AS id FROM user_group_members WHERE group_id = $1 AND user_id = ANY($2::int[])`;

const SELECT_MEMBERS = `
  WITH RECURSIVE ${CONTAINED}
  SELECT DISTINCT m.user_id AS id FROM contained
  CROSS JOIN LATERAL ${directMembersOf('contained.group_id')} AS m
  WHERE m.is_active
  ORDER BY m.user_id`;

// From the groups of the account: a system group may have all accounts of the organisation.
const SELECT_MEMBERSHIP = `
  WITH RECURSIVE ${CONTAINED}
  SELECT FROM users account
  WHERE account.id = $4 AND account.is_active AND EXISTS (
    SELECT FROM ${directGroupsOf('$4::int')} AS own JOIN contained USING (group_id)
  )`;

const SELECT_SUBGROUPS = `
  WITH RECURSIVE contained (group_id) AS (
    SELECT subgroup_id FROM user_group_subgroups WHERE supergroup_id = $1
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN contained ON s.supergroup_id = contained.group_id
    WHERE NOT $2::boolean
  )
  SELECT group_id AS id FROM contained ORDER BY 1`;

/** Groups of an organisation, with or without the members of their subgroups. */
interface Members {
  readonly realmId: number;
  readonly groupIds: readonly number[];
  readonly isDirectOnly: boolean;
}

/** Reads the members and subgroups of groups. */
@Injectable()
export class GroupMemberRepository {
  constructor(private readonly database: Database) {}

  /** The active accounts of the organisation among the ids. */
  async activeAccounts(
    session: Session,
    realmId: number,
    userIds: readonly number[],
  ): Promise<ReadonlySet<number>> {
    const values = [realmId, userIds.filter(isRowId)];
    return idsOf(await session.query('active_accounts', SELECT_ACTIVE, values));
  }

  /** Whether the organisation has the account, active or deactivated. */
  async hasAccount(realmId: number, userId: number): Promise<boolean> {
    const values = [realmId, userId];
    return (await this.database.query('account_of_realm', SELECT_ACCOUNT, values)).length > 0;
  }

  /** The accounts among the ids that are stored as direct members. */
  async directMembers(
    session: Session,
    groupId: number,
    userIds: readonly number[],
  ): Promise<ReadonlySet<number>> {
    const values = [groupId, userIds.filter(isRowId)];
    return idsOf(await session.query('direct_members', SELECT_DIRECT, values));
  }

  /** The active members of the groups together, in ascending order. */
  async membersOf({ realmId, groupIds, isDirectOnly }: Members): Promise<number[]> {
    const values = [realmId, groupIds, isDirectOnly];
    return [...idsOf(await this.database.query('members_of_group', SELECT_MEMBERS, values))];
  }

  /** Whether an active account is among the members. */
  async isMember({ realmId, groupIds, isDirectOnly }: Members, userId: number): Promise<boolean> {
    const values = [realmId, groupIds, isDirectOnly, userId];
    const rows = await this.database.query('membership_of_account', SELECT_MEMBERSHIP, values);
    return rows.length > 0;
  }

  /** The subgroups in ascending order. */
  async subgroupsOf(groupId: number, isDirectOnly: boolean): Promise<number[]> {
    const values = [groupId, isDirectOnly];
    return [...idsOf(await this.database.query('subgroups_of_group', SELECT_SUBGROUPS, values))];
  }
}

const idsOf = (rows: readonly { readonly id: number }[]): ReadonlySet<number> =>
  new Set(rows.map(({ id }) => id));
