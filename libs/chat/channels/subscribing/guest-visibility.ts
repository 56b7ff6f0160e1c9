import { Injectable } from '@nestjs/common';
import { AccountVisibilityEvents } from '#directory/users';
import type { Transaction } from '#platform/database';
import { GuestVisibilityRepository } from './guest-visibility.repository.js';
import type { ChannelAccounts } from '../subscriptions/subscription-hook.js';
import type { SubscriptionChange } from './subscription-change.events.js';

/** The events for guests that see only some accounts: which of them subscriptions make visible, and which no longer are. */
@Injectable()
export class GuestVisibility {
  constructor(
    private readonly channels: GuestVisibilityRepository,
    private readonly events: AccountVisibilityEvents,
  ) {}

  /** Runs after the subscriptions have begun, before their events. */
  async begun(
    transaction: Transaction,
    { realmId, accounts }: SubscriptionChange,
    joined: readonly ChannelAccounts[],
  ): Promise<void> {
    const channelIds = [...new Set(joined.map(({ channelId }) => channelId))];
    const shared = await this.channels.limited(transaction, realmId, channelIds);
    for (const { channelId, guestIds, userIds } of shared) {
      const newIds = idsIn(joined, channelId);
      const newGuests = guestsAmong(accounts, newIds);
      const known = guestIds.filter((id) => !newGuests.includes(id));
      const begun = [
        { realmId, guestIds: newGuests, userIds },
        { realmId, guestIds: known, userIds: [...newIds] },
      ];
      for (const sharers of begun) {
        await this.events.beganSharing(transaction, sharers, { channelIds });
      }
    }
  }

  /** Runs after the subscriptions have ended, after their events. */
  async ended(
    transaction: Transaction,
    { realmId, accounts }: SubscriptionChange,
    left: readonly ChannelAccounts[],
  ): Promise<void> {
    const channelIds = left.map(({ channelId }) => channelId);
    const shared = await this.channels.limited(transaction, realmId, channelIds);
    for (const { channelId, guestIds, userIds } of shared) {
      const goneIds = idsIn(left, channelId);
      const goneGuests = guestsAmong(accounts, goneIds);
      const ended = [
        { realmId, guestIds: goneGuests, userIds: [...userIds, ...goneIds] },
        { realmId, guestIds, userIds: [...goneIds] },
      ];
      for (const sharers of ended) await this.events.endedSharing(transaction, sharers);
    }
  }
}

const idsIn = (lists: readonly ChannelAccounts[], channelId: number): ReadonlySet<number> =>
  new Set(lists.flatMap((one) => (one.channelId === channelId ? one.userIds : [])));

const guestsAmong = (
  accounts: SubscriptionChange['accounts'],
  ids: ReadonlySet<number>,
): number[] => accounts.filter(({ id, isGuest }) => isGuest && ids.has(id)).map(({ id }) => id);
