import { Injectable } from '@nestjs/common';
import { isRowId } from '#platform/contracts';
import { Database, type Session } from '#platform/database';
import { directMembersOf } from './direct-members.js';

const SELECT_ACTIVE = `
  SELECT id FROM users WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active`;

const SELECT_ACCOUNT = `SELECT FROM users WHERE realm_id = $1 AND id = $2`;

const SELECT_DIRECT = `
  SELECT user_id AS id FROM user_group_members WHERE group_id = $1 AND user_id = ANY($2::int[])`;

const SELECT_MEMBERS = `
  WITH RECURSIVE contained (group_id) AS (
    SELECT id FROM user_groups WHERE realm_id = $1 AND id = $2::int
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN contained ON s.supergroup_id = contained.group_id
    WHERE NOT $3::boolean
  )
  SELECT DISTINCT m.user_id AS id FROM contained
  CROSS JOIN LATERAL ${directMembersOf('contained.group_id')} AS m
  WHERE m.is_active AND ($4::int IS NULL OR m.user_id = $4)
  ORDER BY m.user_id`;

const SELECT_SUBGROUPS = `
  WITH RECURSIVE contained (group_id) AS (
    SELECT subgroup_id FROM user_group_subgroups WHERE supergroup_id = $1
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN contained ON s.supergroup_id = contained.group_id
    WHERE NOT $2::boolean
  )
  SELECT group_id AS id FROM contained ORDER BY 1`;

/** A group of an organisation, with or without the members of its subgroups. */
interface Members {
  readonly realmId: number;
  readonly groupId: number;
  readonly isDirectOnly: boolean;
}

/** Reads the members of groups. Deactivated accounts are left out. */
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

  /** The members in ascending order; with `userId` only that account, if it is a member. */
  async members(
    { realmId, groupId, isDirectOnly }: Members,
    userId: number | null = null,
  ): Promise<number[]> {
    const values = [realmId, groupId, isDirectOnly, userId];
    return [...idsOf(await this.database.query('members_of_group', SELECT_MEMBERS, values))];
  }

  /** The subgroups in ascending order. */
  async subgroups(groupId: number, isDirectOnly: boolean): Promise<number[]> {
    const values = [groupId, isDirectOnly];
    return [...idsOf(await this.database.query('subgroups_of_group', SELECT_SUBGROUPS, values))];
  }
}

const idsOf = (rows: readonly { readonly id: number }[]): ReadonlySet<number> =>
  new Set(rows.map(({ id }) => id));
