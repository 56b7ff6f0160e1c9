import { Injectable } from '@nestjs/common';
import { AccountSightEvents } from '#directory/users';
import type { Transaction } from '#platform/database';
import { GuestSightRepository } from './guest-sight.repository.js';
import type { FormerSubscribers } from './subscriber.repository.js';
import type { SubscriptionChange } from './subscription-change.events.js';

/** Tells guests that see only some accounts of the accounts that come into sight or go with subscriptions. */
@Injectable()
export class GuestSight {
  constructor(
    private readonly channels: GuestSightRepository,
    private readonly events: AccountSightEvents,
  ) {}

  /** Runs after the subscriptions have begun, before their events. */
  async begun(
    transaction: Transaction,
    { realmId, accounts }: SubscriptionChange,
    joined: readonly FormerSubscribers[],
  ): Promise<void> {
    const channelIds = [...new Set(joined.map(({ channelId }) => channelId))];
    const shared = await this.channels.limited(transaction, realmId, channelIds);
    for (const { channelId, guestIds, userIds } of shared) {
      const newIds = idsIn(joined, channelId);
      const newGuests = guestsAmong(accounts, newIds);
      const known = guestIds.filter((id) => !newGuests.includes(id));
      const meetings = [
        { realmId, guestIds: newGuests, userIds },
        { realmId, guestIds: known, userIds: [...newIds] },
      ];
      for (const meeting of meetings) await this.events.met(transaction, meeting, { channelIds });
    }
  }

  /** Runs after the subscriptions have ended, after their events. */
  async ended(
    transaction: Transaction,
    { realmId, accounts }: SubscriptionChange,
    left: readonly FormerSubscribers[],
  ): Promise<void> {
    const channelIds = left.map(({ channelId }) => channelId);
    const shared = await this.channels.limited(transaction, realmId, channelIds);
    for (const { channelId, guestIds, userIds } of shared) {
      const goneIds = idsIn(left, channelId);
      const goneGuests = guestsAmong(accounts, goneIds);
      const partings = [
        { realmId, guestIds: goneGuests, userIds: [...userIds, ...goneIds] },
        { realmId, guestIds, userIds: [...goneIds] },
      ];
      for (const parting of partings) await this.events.parted(transaction, parting);
    }
  }
}

const idsIn = (lists: readonly FormerSubscribers[], channelId: number): ReadonlySet<number> =>
  new Set(lists.flatMap((one) => (one.channelId === channelId ? one.userIds : [])));

const guestsAmong = (
  accounts: SubscriptionChange['accounts'],
  ids: ReadonlySet<number>,
): number[] => accounts.filter(({ id, isGuest }) => isGuest && ids.has(id)).map(({ id }) => id);
