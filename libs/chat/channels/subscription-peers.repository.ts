import { Injectable } from '@nestjs/common';
import { isAdministrator, roles } from '#platform/contracts';
import type { Transaction } from '#platform/database';

/** A subscription of an account, and the accounts that may see the subscribers of the channel. */
export interface SubscriptionOfPeer {
  readonly userId: number;
  readonly channelId: number;
  readonly isArchived: boolean;
  /** All accounts of the organisation, all but guests, or only `listenerIds`. */
  readonly visibleTo: 'all' | 'members' | 'listed';
  /** Active accounts that `visibleTo` does not cover, in ascending order. */
  readonly listenerIds: readonly number[];
}

const LOWEST_ADMINISTRATOR = Math.max(...Object.values(roles).filter(isAdministrator));

// The rules of hasMetadataAccess in SQL, for all accounts. Guests see the subscribers of a channel that they are
// subscribed to, and of web-public channels. A null group of a permission is the group without members.
const SELECT_OF_USERS = `
  WITH RECURSIVE of_users AS MATERIALIZED (
    SELECT s.user_id, c.id AS channel_id, c.realm_id, c.is_private, c.is_web_public, c.archived_at,
      ARRAY[c.can_add_subscribers_id, c.can_administer_channel_id, c.can_subscribe_id] AS group_ids
    FROM subscriptions s JOIN channels c ON c.id = s.channel_id
    WHERE s.user_id = ANY($1::int[]) AND s.is_active
  ),
  of_channels AS MATERIALIZED (
    SELECT DISTINCT channel_id, realm_id, is_private, group_ids FROM of_users WHERE NOT is_web_public
  ),
  allowed (channel_id, group_id) AS (
    SELECT channel_id, unnest(group_ids) FROM of_channels WHERE is_private
    UNION
    SELECT allowed.channel_id, s.subgroup_id
    FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  ),
  listeners AS (
    SELECT c.channel_id, u.id FROM of_channels c
    JOIN subscriptions s ON s.channel_id = c.channel_id AND s.is_active
    JOIN users u ON u.id = s.user_id
    WHERE u.is_active AND (c.is_private OR u.role >= ${roles.guest})
    UNION
    SELECT c.channel_id, u.id FROM of_channels c JOIN users u ON u.realm_id = c.realm_id
    WHERE c.is_private AND u.is_active AND u.role <= ${LOWEST_ADMINISTRATOR}
    UNION
    SELECT allowed.channel_id, u.id FROM allowed
    JOIN user_group_direct_members m ON m.group_id = allowed.group_id
    JOIN users u ON u.id = m.user_id
    WHERE u.is_active AND u.role < ${roles.guest}
  ),
  listed AS (
    SELECT channel_id, json_agg(id ORDER BY id) AS ids FROM listeners GROUP BY channel_id
  )
  SELECT of_users.user_id AS "userId", channel_id AS "channelId",
    archived_at IS NOT NULL AS "isArchived",
    CASE WHEN is_web_public THEN 'all' WHEN is_private THEN 'listed' ELSE 'members' END AS "visibleTo",
    coalesce(listed.ids, '[]') AS "listenerIds"
  FROM of_users LEFT JOIN listed USING (channel_id)
  ORDER BY of_users.user_id, channel_id`;

/** Reads the accounts that may see the subscribers of channels. */
@Injectable()
export class SubscriptionPeersRepository {
  /** The subscriptions of accounts in the order of accounts and channels: one statement for all. */
  async ofUsers(
    transaction: Transaction,
    userIds: readonly number[],
  ): Promise<SubscriptionOfPeer[]> {
    return transaction.query<SubscriptionOfPeer>('subscription_peers', SELECT_OF_USERS, [userIds]);
  }
}
