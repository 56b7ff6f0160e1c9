import { Injectable } from '@nestjs/common';
import { Database } from '#database';

const SELECT_GROUPS = `
  WITH RECURSIVE containing (group_id) AS (
    SELECT group_id FROM user_group_direct_members WHERE user_id = $1
    UNION
    SELECT s.supergroup_id
    FROM user_group_subgroups s JOIN containing ON s.subgroup_id = containing.group_id
  )
  SELECT group_id FROM containing`;

/** Who is in which group, through however many subgroups. */
@Injectable()
export class GroupMembershipRepository {
  constructor(private readonly database: Database) {}

  /**
   * The ids of all groups that a user is in, those without a name included: one statement, after which
   * any number of permissions can be checked.
   */
  async groupsOf(userId: number): Promise<ReadonlySet<number>> {
    const rows = await this.database.query<{ group_id: number }>('groups_of_user', SELECT_GROUPS, [
      userId,
    ]);
    return new Set(rows.map((row) => row.group_id));
  }
}
