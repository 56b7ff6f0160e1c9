import { Injectable } from '@nestjs/common';
import { mapInSlices } from '#platform/core';
import type { Transaction } from '#platform/database';
import { ChannelAudienceRepository } from '../access/channel-audience.repository.js';
import { listedIn } from '../access/channel-audience.rules.js';

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

const SELECT_OF_USERS = `
  SELECT user_id AS "userId", channel_id AS "channelId" FROM subscriptions
  WHERE user_id = ANY($1::int[]) AND is_active
  ORDER BY user_id, channel_id`;

/** Reads the accounts that may see the subscribers of channels. */
@Injectable()
export class SubscriptionPeersRepository {
  constructor(private readonly audiences: ChannelAudienceRepository) {}

  /** The subscriptions of accounts in the order of accounts and channels: two statements for all. */
  async ofUsers(
    transaction: Transaction,
    userIds: readonly number[],
  ): Promise<SubscriptionOfPeer[]> {
    const pairs = await transaction.query<{ userId: number; channelId: number }>(
      'subscriptions_of_peers',
      SELECT_OF_USERS,
      [userIds],
    );
    const ids = pairs.map(({ channelId }) => channelId);
    const audiences = await this.audiences.ofChannels(transaction, ids);
    // Each list may have all accounts.
    const listeners = new Map(
      await mapInSlices([...audiences.values()], (one) => [one.channelId, listedIn(one)] as const),
    );
    return pairs.flatMap((pair) => {
      const audience = audiences.get(pair.channelId);
      if (audience === undefined) return [];
      const { isArchived, everyone } = audience;
      const listenerIds = listeners.get(pair.channelId) ?? [];
      return [{ ...pair, isArchived, visibleTo: everyone ?? 'listed', listenerIds }];
    });
  }
}
