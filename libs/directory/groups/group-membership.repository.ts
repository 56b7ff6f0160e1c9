import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { directGroupsOf } from './direct-members.js';

const SELECT_GROUPS = `
  WITH RECURSIVE containing (group_id) AS (
    SELECT group_id FROM ${directGroupsOf('$1::int')} AS own
    UNION
    SELECT s.supergroup_id
    FROM user_group_subgroups s JOIN containing ON s.subgroup_id = containing.group_id
  )
  SELECT group_id FROM containing`;

/** Reads the groups that contain an account. */
@Injectable()
export class GroupMembershipRepository {
  constructor(private readonly database: Database) {}

  /**
   * The ids of all groups that contain a user, directly or through subgroups, including groups without a name. One
   * statement is enough to check any number of permissions.
   */
  async groupsOf(userId: number, session: Session = this.database): Promise<ReadonlySet<number>> {
    const rows = await session.query<{ group_id: number }>('groups_of_user', SELECT_GROUPS, [
      userId,
    ]);
    return new Set(rows.map((row) => row.group_id));
  }
}
