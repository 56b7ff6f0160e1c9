import { Injectable } from '@nestjs/common';
import {
  type ConcernedAccounts,
  directGroupsOf,
  directMembersOf,
  type ObjectPermissions,
  heldOf,
} from '#directory/groups';
import { roles } from '#directory/roles';
import type { Transaction } from '#platform/database';
import { channelPermissions, permissionTable } from '../channel-permission-table.rules.js';
import { CHANNEL_COLUMNS, columnOf, type StoredChannel } from '../channel.repository.js';
import type { ChannelAccounts } from '../subscriptions/subscription-hook.js';

// The rules of hasMetadataAccess in SQL, for the channels with a permission that the groups or their supergroups hold, and
// for some accounts: a channel may have fifty thousand others. A null group of a permission is the group without members.
const SELECT_OF_GROUPS = `
  WITH RECURSIVE concerned (group_id) AS (
    SELECT unnest($2::int[])
    UNION
    SELECT s.supergroup_id
    FROM user_group_subgroups s JOIN concerned ON s.subgroup_id = concerned.group_id
  ),
  channel AS MATERIALIZED (
    SELECT c.id, granted.group_ids FROM channels c, LATERAL (
      SELECT ARRAY[c.can_add_subscribers_id, c.can_administer_channel_id, c.can_subscribe_id] AS group_ids
    ) AS granted
    WHERE c.realm_id = $1 AND c.is_private AND NOT c.is_web_public
      AND granted.group_ids && ARRAY(SELECT group_id FROM concerned)
  ),
  allowed (channel_id, group_id) AS (
    SELECT id, unnest(group_ids) FROM channel
    UNION
    SELECT allowed.channel_id, s.subgroup_id
    FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  ),
  contained (group_id) AS (
    SELECT unnest($4::int[])
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN contained ON s.supergroup_id = contained.group_id
  ),
  account AS MATERIALIZED (
    SELECT u.id, u.role FROM unnest($3::int[]) AS given (id) JOIN users u ON u.id = given.id WHERE u.is_active
    UNION
    SELECT m.user_id, m.role FROM contained
    CROSS JOIN LATERAL ${directMembersOf('contained.group_id')} AS m WHERE m.is_active
  ),
  viewer AS (
    SELECT c.id AS channel_id, account.id FROM channel c CROSS JOIN account
    CROSS JOIN LATERAL (
      SELECT FROM subscriptions s WHERE s.channel_id = c.id AND s.user_id = account.id AND s.is_active LIMIT 1
    ) AS own
    UNION
    SELECT c.id, account.id FROM channel c JOIN account ON account.role <= ${roles.administrator}
    UNION
    SELECT allowed.channel_id, account.id FROM account
    CROSS JOIN LATERAL ${directGroupsOf('account.id')} AS own
    JOIN allowed ON allowed.group_id = own.group_id
    WHERE account.role < ${roles.guest}
  )
  SELECT c.id AS "channelId", coalesce(json_agg(viewer.id ORDER BY viewer.id)
      FILTER (WHERE viewer.id IS NOT NULL), '[]') AS "userIds"
  FROM channel c LEFT JOIN viewer ON viewer.channel_id = c.id
  GROUP BY c.id ORDER BY c.id`;

const SELECT_CHANNELS = `
  SELECT ${CHANNEL_COLUMNS} FROM channels c WHERE c.id = ANY($1::int[]) ORDER BY c.id`;

/** The columns of the permissions of a channel, with their names in the API. */
const permissionColumns = Object.fromEntries(
  channelPermissions.map((permission) => [columnOf(permission), permissionTable[permission].name]),
);

const SELECT_HELD = `
  SELECT id, settings FROM (
    SELECT c.id, ${heldOf('c', permissionColumns)} AS settings
    FROM channels c WHERE c.realm_id = $1 AND ($3 OR c.archived_at IS NULL)
  ) AS held WHERE settings <> '{}' ORDER BY id`;

const SELECT_ROLE = `SELECT role FROM users WHERE id = $1 AND is_active`;

/** Reads who may see channels, in the transactions that change it. */
@Injectable()
export class ChannelVisibilityRepository {
  /**
   * The private channels that members of the groups may see because of the groups, with those of some accounts who may see
   * them.
   */
  async audiencesOf(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
    { userIds, membersOf }: ConcernedAccounts,
  ): Promise<ChannelAccounts[]> {
    return transaction.query<ChannelAccounts>('channels_of_groups', SELECT_OF_GROUPS, [
      realmId,
      groupIds,
      userIds,
      membersOf,
    ]);
  }

  /** The channels with permissions that the groups hold. */
  async permissionsOf(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
    { withArchived }: { readonly withArchived: boolean },
  ): Promise<ObjectPermissions[]> {
    const values = [realmId, groupIds, withArchived];
    return transaction.query<ObjectPermissions>('channel_settings_held', SELECT_HELD, values);
  }

  /** The channels in the order of their ids. */
  async channels(transaction: Transaction, ids: readonly number[]): Promise<StoredChannel[]> {
    return transaction.query<StoredChannel>('channels_by_id', SELECT_CHANNELS, [ids]);
  }

  /** The role of an active account; null for another one. */
  async roleOf(transaction: Transaction, userId: number): Promise<number | null> {
    const values = [userId];
    const [row] = await transaction.query<{ role: number }>('role_of_viewer', SELECT_ROLE, values);
    return row?.role ?? null;
  }
}
