import { Injectable } from '@nestjs/common';
import { roles } from '#directory/roles';
import type { Transaction } from '#platform/database';

/** The subscribers of a channel, deactivated ones included. */
interface ChannelOfGuests {
  readonly channelId: number;
  /** The active guests among them. */
  readonly guestIds: readonly number[];
  readonly userIds: readonly number[];
}

const SELECT = `
  SELECT c.id AS "channelId",
    coalesce(json_agg(u.id) FILTER (WHERE u.role >= ${roles.guest} AND u.is_active), '[]') AS "guestIds",
    coalesce(json_agg(u.id) FILTER (WHERE u.id IS NOT NULL), '[]') AS "userIds"
  FROM channels c
  JOIN realms r ON r.id = c.realm_id AND r.can_access_all_users_group_id IS NOT NULL
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.is_active
  LEFT JOIN users u ON u.id = s.user_id
  WHERE c.realm_id = $1 AND c.id = ANY($2::int[])
  GROUP BY c.id ORDER BY c.id`;

/** Reads the channels in which guests see accounts that they cannot see otherwise. */
@Injectable()
export class GuestVisibilityRepository {
  /** Those of the channels; none in an organisation whose guests may see everyone. */
  async limited(
    transaction: Transaction,
    realmId: number,
    channelIds: readonly number[],
  ): Promise<ChannelOfGuests[]> {
    if (channelIds.length === 0) return [];
    return transaction.query<ChannelOfGuests>('channels_of_guests', SELECT, [realmId, channelIds]);
  }
}
