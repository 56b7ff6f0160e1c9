import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';

/** The holders of a permission: the id of a named group, or single members and groups. */
export type GroupSettingValue =
  number | { readonly direct_members: number[]; readonly direct_subgroups: number[] };

/** Values by the ids of the stored groups. */
export type GroupSettingValues = ReadonlyMap<number, GroupSettingValue>;

// Deactivated accounts are left out.
const SELECT_NAMELESS = `
  SELECT g.id,
    ARRAY(
      SELECT m.user_id FROM user_group_members m JOIN users u ON u.id = m.user_id
      WHERE m.group_id = g.id AND u.is_active ORDER BY 1
    ) AS members,
    ARRAY(
      SELECT s.subgroup_id FROM user_group_subgroups s WHERE s.supergroup_id = g.id ORDER BY 1
    ) AS subgroups
  FROM user_groups g
  WHERE g.id = ANY($1) AND g.name IS NULL`;

/** Reads the holders of permissions in the format of the API. */
@Injectable()
export class GroupSettingRepository {
  constructor(private readonly database: Database) {}

  /** The values of permissions, by the ids of the stored groups, read in one statement. */
  async valuesOf(
    groupIds: Iterable<number>,
    session: Session = this.database,
  ): Promise<GroupSettingValues> {
    const ids = [...new Set(groupIds)];
    const rows = await session.query<{ id: number; members: number[]; subgroups: number[] }>(
      'group_settings',
      SELECT_NAMELESS,
      [ids],
    );
    const values = new Map<number, GroupSettingValue>(ids.map((id) => [id, id]));
    for (const { id, members, subgroups } of rows) {
      values.set(id, { direct_members: members, direct_subgroups: subgroups });
    }
    return values;
  }
}
