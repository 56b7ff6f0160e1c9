import { Injectable } from '@nestjs/common';
import { Database, type Session } from '#platform/database';
import { directGroupsOf } from './direct-members.js';
import { groupColumns, realmColumns } from './group-uses.repository.js';

/** A group with a name, and the accounts among the given ones that are its direct members. */
export interface GroupOfAccounts {
  readonly id: number;
  readonly isDeactivated: boolean;
  readonly userIds: number[];
}

/** The groups without a name that hold permissions, by the names of these in the API. */
export type SettingGroups = Readonly<Record<string, number>>;

/** The permissions of a group that given groups without a name hold. */
interface SettingsOfGroup {
  readonly id: number;
  readonly isDeactivated: boolean;
  readonly held: SettingGroups;
}

const SELECT_GROUPS = `
  SELECT g.id, g.deactivated_at IS NOT NULL AS "isDeactivated",
    array_agg(given.user_id ORDER BY given.user_id) AS "userIds"
  FROM (SELECT DISTINCT unnest($2::int[]) AS user_id) AS given
  CROSS JOIN LATERAL ${directGroupsOf('given.user_id')} AS own
  JOIN user_groups g ON g.id = own.group_id
  WHERE g.realm_id = $1 AND g.name IS NOT NULL
  GROUP BY g.id
  ORDER BY g.id`;

const SELECT_HOLDERS = `
  SELECT DISTINCT g.id FROM user_group_members m JOIN user_groups g ON g.id = m.group_id
  WHERE m.user_id = ANY($2::int[]) AND g.realm_id = $1 AND g.name IS NULL
  ORDER BY g.id`;

/** SQL: an object of the permissions of a row that one of the groups $2 holds. */
const heldBy = (table: string, columns: Readonly<Record<string, string>>): string => {
  const pairs = Object.entries(columns).map(
    ([column, name]) =>
      `'${name}', CASE WHEN ${table}.${column} = ANY($2::int[]) THEN ${table}.${column} END`,
  );
  return `jsonb_strip_nulls(jsonb_build_object(${pairs.join(', ')}))`;
};

const SELECT_SETTINGS = `
  SELECT g.id, g.deactivated_at IS NOT NULL AS "isDeactivated", held
  FROM user_groups g, LATERAL (SELECT ${heldBy('g', groupColumns)} AS held) AS settings
  WHERE g.realm_id = $1 AND g.name IS NOT NULL AND held <> '{}'
  ORDER BY g.id`;

const SELECT_REALM_SETTINGS = `
  SELECT ${heldBy('r', realmColumns)} AS held FROM realms r WHERE r.id = $1`;

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

  /** The groups without a name that accounts are direct members of: each holds a permission. Ascending. */
  async holdersWith(
    realmId: number,
    userIds: readonly number[],
    session: Session,
  ): Promise<number[]> {
    const values = [realmId, userIds];
    const rows = await session.query<{ id: number }>(
      'holders_with_accounts',
      SELECT_HOLDERS,
      values,
    );
    return rows.map(({ id }) => id);
  }

  /** The groups with a name, with their permissions that the holders have. */
  async settingsHeldBy(
    realmId: number,
    holderIds: readonly number[],
    session: Session,
  ): Promise<SettingsOfGroup[]> {
    const values = [realmId, holderIds];
    return session.query<SettingsOfGroup>('group_settings_of_holders', SELECT_SETTINGS, values);
  }

  /** The permissions of the organisation that the holders have. */
  async realmSettingsHeldBy(
    realmId: number,
    holderIds: readonly number[],
    session: Session,
  ): Promise<SettingGroups> {
    const [row] = await session.query<{ held: SettingGroups }>(
      'realm_settings_of_holders',
      SELECT_REALM_SETTINGS,
      [realmId, holderIds],
    );
    return row?.held ?? {};
  }
}
