import { Injectable } from '@nestjs/common';
import { directMembersOf } from '#directory/groups';
import { roles } from '#directory/roles';
import type { Audience } from '#events/log';
import type { Session, Transaction } from '#platform/database';
import { audienceOf, type ChannelAudience } from './channel-audience.rules.js';

// The rules of hasMetadataAccess in SQL, for all accounts. A null group of a permission is the group without members.
const SELECT_AUDIENCES = `
  WITH RECURSIVE channel AS MATERIALIZED (
    SELECT id, realm_id, is_private, is_web_public, archived_at,
      ARRAY[can_add_subscribers_id, can_administer_channel_id, can_subscribe_id] AS group_ids
    FROM channels WHERE id = ANY($1::int[])
  ),
  allowed (channel_id, group_id) AS (
    SELECT id, unnest(group_ids) FROM channel WHERE is_private AND NOT is_web_public
    UNION
    SELECT allowed.channel_id, s.subgroup_id
    FROM user_group_subgroups s JOIN allowed ON s.supergroup_id = allowed.group_id
  ),
  holder AS (
    SELECT c.id AS channel_id, u.id FROM channel c JOIN users u ON u.realm_id = c.realm_id
    WHERE c.is_private AND NOT c.is_web_public AND u.is_active AND u.role <= ${roles.administrator}
    UNION
    SELECT allowed.channel_id, m.user_id FROM allowed
    CROSS JOIN LATERAL ${directMembersOf('allowed.group_id')} AS m
    WHERE m.is_active AND m.role < ${roles.guest}
  ),
  held AS (SELECT channel_id, json_agg(id ORDER BY id) AS ids FROM holder GROUP BY channel_id),
  subscribed AS (
    SELECT c.id AS channel_id, json_agg(u.id ORDER BY u.id) AS ids FROM channel c
    JOIN subscriptions s ON s.channel_id = c.id AND s.is_active
    JOIN users u ON u.id = s.user_id
    WHERE u.is_active AND NOT c.is_web_public AND (c.is_private OR u.role >= ${roles.guest})
    GROUP BY c.id
  )
  SELECT c.id AS "channelId", c.archived_at IS NOT NULL AS "isArchived",
    CASE WHEN is_web_public THEN 'all' WHEN NOT is_private THEN 'members' END AS everyone,
    coalesce(held.ids, '[]') AS "holderIds", coalesce(subscribed.ids, '[]') AS "subscriberIds"
  FROM channel c
  LEFT JOIN held ON held.channel_id = c.id
  LEFT JOIN subscribed ON subscribed.channel_id = c.id
  ORDER BY c.id`;

const SELECT_GUESTS = `
  SELECT id FROM users WHERE realm_id = $1 AND is_active AND role >= ${roles.guest} ORDER BY id`;

/** Reads the accounts that may see channels, and with them the subscribers of the channels. */
@Injectable()
export class ChannelAudienceRepository {
  /** The audiences of channels by their ids: one statement. */
  async ofChannels(
    session: Session,
    channelIds: readonly number[],
  ): Promise<ReadonlyMap<number, ChannelAudience>> {
    if (channelIds.length === 0) return new Map();
    const rows = await session.query<ChannelAudience>('channel_audiences', SELECT_AUDIENCES, [
      [...new Set(channelIds)],
    ]);
    return new Map(rows.map((row) => [row.channelId, row]));
  }

  /** The accounts that may see that a channel exists. */
  async of(transaction: Transaction, channelId: number): Promise<Audience> {
    const audience = (await this.ofChannels(transaction, [channelId])).get(channelId);
    return audience === undefined ? { userIds: [] } : audienceOf(audience);
  }

  /** The active guests of an organisation. */
  async guests(transaction: Transaction, realmId: number): Promise<number[]> {
    const values = [realmId];
    const rows = await transaction.query<{ id: number }>('guest_ids', SELECT_GUESTS, values);
    return rows.map(({ id }) => id);
  }
}
