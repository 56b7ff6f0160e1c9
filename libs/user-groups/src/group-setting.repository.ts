import { Injectable } from '@nestjs/common';
import { Database } from '#database';

/** Who has a permission: the id of a named group, or people and groups one by one. */
export type GroupSettingValue =
  number | { readonly direct_members: number[]; readonly direct_subgroups: number[] };

/** The values of settings by the group ids that stand for them in the database. */
export type GroupSettingValues = ReadonlyMap<number, GroupSettingValue>;

interface NamelessRow {
  id: number;
  members: number[];
  subgroups: number[];
}

// Deactivated people are not told of.
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

/** Tells permissions as the API does. */
@Injectable()
export class GroupSettingRepository {
  constructor(private readonly database: Database) {}

  /** The values of settings, by the ids of their groups: one statement, however many. */
  async valuesOf(groupIds: Iterable<number>): Promise<GroupSettingValues> {
    const ids = [...new Set(groupIds)];
    const rows = await this.database.query<NamelessRow>('group_settings', SELECT_NAMELESS, [ids]);
    const values = new Map<number, GroupSettingValue>(ids.map((id) => [id, id]));
    for (const { id, members, subgroups } of rows) {
      values.set(id, { direct_members: members, direct_subgroups: subgroups });
    }
    return values;
  }
}
