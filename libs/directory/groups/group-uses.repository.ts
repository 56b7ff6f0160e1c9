import { Injectable } from '@nestjs/common';
import type { Transaction } from '#platform/database';
import { realmPermissionColumns } from './realm-permissions.js';

/** An object with permissions that given groups hold, by their names in the API. */
export interface ObjectPermissions {
  readonly id: number;
  readonly settings: readonly string[];
}

/** SQL: the names of the columns of `table` among the given ones, whose group is one of $2. */
export const heldOf = (table: string, columns: Readonly<Record<string, string>>): string => {
  const names = Object.entries(columns).map(
    ([column, name]) => `CASE WHEN ${table}.${column} = ANY($2::int[]) THEN '${name}' END`,
  );
  return `array_remove(ARRAY[${names.join(', ')}], NULL)`;
};

/** The columns of the permissions of a group, with their names in the API. */
export const groupColumns = {
  can_add_members_id: 'can_add_members_group',
  can_join_id: 'can_join_group',
  can_leave_id: 'can_leave_group',
  can_manage_id: 'can_manage_group',
  can_mention_id: 'can_mention_group',
  can_remove_members_id: 'can_remove_members_group',
};

/** The columns of the permissions of an organisation, with their names in the API. */
export const realmColumns: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(realmPermissionColumns).map(([name, column]) => [column, name]),
);

// A group without a name holds one permission for its members and subgroups.
const HOLDERS = `
  SELECT $1::int AS id
  UNION ALL
  SELECT g.id FROM user_group_subgroups s JOIN user_groups g ON g.id = s.supergroup_id
  WHERE s.subgroup_id = $1 AND g.name IS NULL`;

const SUPERGROUPS = `
  SELECT g.id FROM user_group_subgroups s JOIN user_groups g ON g.id = s.supergroup_id
  WHERE s.subgroup_id = $1 AND g.name IS NOT NULL AND g.deactivated_at IS NULL
  ORDER BY g.id`;

const GROUP_SETTINGS = `
  SELECT id, settings FROM (
    SELECT g.id, ${heldOf('g', groupColumns)} AS settings FROM user_groups g
    WHERE g.realm_id = $1 AND g.id <> $3 AND g.name IS NOT NULL AND g.deactivated_at IS NULL
  ) AS held WHERE settings <> '{}' ORDER BY id`;

const REALM_SETTINGS = `
  SELECT r.id, ${heldOf('r', realmColumns)} AS settings FROM realms r WHERE r.id = $1`;

/** Reads where groups are used, in the transaction that deactivates one. */
@Injectable()
export class GroupUsesRepository {
  /** The group, and the groups without a name that contain it. */
  async holdersWith(transaction: Transaction, groupId: number): Promise<number[]> {
    return idsOf(await transaction.query('holders_with_group', HOLDERS, [groupId]));
  }

  /** The active groups with a name that contain it directly. */
  async supergroupsOf(transaction: Transaction, groupId: number): Promise<number[]> {
    return idsOf(await transaction.query('supergroups_of_group', SUPERGROUPS, [groupId]));
  }

  /** The permissions of other active groups. */
  async groupSettings(
    transaction: Transaction,
    realmId: number,
    holderIds: readonly number[],
    groupId: number,
  ): Promise<ObjectPermissions[]> {
    const values = [realmId, holderIds, groupId];
    return transaction.query<ObjectPermissions>('group_settings_held', GROUP_SETTINGS, values);
  }

  /** The permissions of the organisation. */
  async realmSettings(
    transaction: Transaction,
    realmId: number,
    holderIds: readonly number[],
  ): Promise<readonly string[]> {
    const values = [realmId, holderIds];
    const [row] = await transaction.query<ObjectPermissions>(
      'realm_settings_held',
      REALM_SETTINGS,
      values,
    );
    return row?.settings ?? [];
  }
}

const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);
