import { Injectable } from '@nestjs/common';
import type { Audience } from '#events/log';
import { isAdministrator, roles } from '#platform/contracts';
import type { Transaction } from '#platform/database';

const LOWEST_ADMINISTRATOR = Math.max(...Object.values(roles).filter(isAdministrator));

// The rules of hasMetadataAccess in SQL, for all accounts. A null group of a permission is the group without members.
const SELECT_AUDIENCE = `
  WITH RECURSIVE channel AS MATERIALIZED (
    SELECT id, realm_id, is_private, is_web_public,
      ARRAY[can_add_subscribers_id, can_administer_channel_id, can_subscribe_id] AS group_ids
    FROM channels WHERE id = $1
  ),
  allowed (group_id) AS (
    SELECT unnest(group_ids) FROM channel WHERE is_private
    UNION
    SELECT s.subgroup_id FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  ),
  listed AS (
    SELECT u.id FROM channel c
    JOIN subscriptions s ON s.channel_id = c.id AND s.is_active
    JOIN users u ON u.id = s.user_id
    WHERE u.is_active AND (c.is_private OR u.role >= ${roles.guest})
    UNION
    SELECT u.id FROM channel c JOIN users u ON u.realm_id = c.realm_id
    WHERE c.is_private AND u.is_active AND u.role <= ${LOWEST_ADMINISTRATOR}
    UNION
    SELECT u.id FROM allowed JOIN user_group_direct_members m ON m.group_id = allowed.group_id
    JOIN users u ON u.id = m.user_id
    WHERE u.is_active AND u.role < ${roles.guest}
  )
  SELECT CASE WHEN is_web_public THEN 'all' WHEN NOT is_private THEN 'members' END AS everyone,
    CASE WHEN is_web_public THEN '[]' ELSE (
      SELECT coalesce(json_agg(id ORDER BY id), '[]') FROM listed
    ) END AS "userIds"
  FROM channel`;

interface AudienceRow {
  readonly everyone: 'all' | 'members' | null;
  readonly userIds: readonly number[];
}

/** Reads the accounts that may see a channel. */
@Injectable()
export class ChannelAudienceRepository {
  /** The accounts that may see that a channel exists. */
  async of(transaction: Transaction, channelId: number): Promise<Audience> {
    const [row] = await transaction.query<AudienceRow>('channel_audience', SELECT_AUDIENCE, [
      channelId,
    ]);
    const { everyone, userIds } = row ?? { everyone: null, userIds: [] };
    return everyone === null ? { userIds } : { everyone, userIds };
  }
}
