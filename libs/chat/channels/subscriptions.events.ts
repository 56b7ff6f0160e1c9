import { Injectable } from '@nestjs/common';
import { type EventType, isCapable } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Transaction } from '#platform/database';
import { SubscriptionPeersRepository } from './subscription-peers.repository.js';
import { peerChangesOf } from './subscription-peers.rules.js';

/** Accounts of one organisation whose subscriptions are shown or hidden. */
interface Peers {
  readonly realmId: number;
  readonly userIds: readonly number[];
}

/** The events of subscriptions. Clients without the capability do not know of archived channels. */
export const subscriptionEventType: EventType = {
  type: 'subscription',
  formsOf: ({ is_archived: isArchived, ...event }, options) =>
    isArchived === true && !isCapable(options, 'archived_channels') ? [] : [event],
};

/** Adds the events of subscriptions that other accounts see. */
@Injectable()
export class SubscriptionEvents {
  constructor(
    private readonly peers: SubscriptionPeersRepository,
    private readonly log: EventLog,
  ) {}

  /** Adds the events of the subscriptions of new or reactivated accounts, in the transaction of the change. */
  async peersAdded(transaction: Transaction, peers: Peers): Promise<void> {
    await this.#append(transaction, 'peer_add', peers);
  }

  /**
   * Adds the events of the subscriptions of deactivated accounts, in the transaction of the change. They must precede the
   * events of the deactivation: clients do not find the accounts afterwards.
   */
  async peersRemoved(transaction: Transaction, peers: Peers): Promise<void> {
    await this.#append(transaction, 'peer_remove', peers);
  }

  async #append(
    transaction: Transaction,
    op: 'peer_add' | 'peer_remove',
    { realmId, userIds }: Peers,
  ): Promise<void> {
    const changes = peerChangesOf(await this.peers.ofUsers(transaction, userIds));
    const events = changes.map(({ channelIds, userIds: user_ids, isArchived, audience }) => ({
      realmId,
      type: subscriptionEventType.type,
      body: { op, stream_ids: channelIds, user_ids, ...(isArchived && { is_archived: true }) },
      audience,
    }));
    this.log.append(transaction, ...events);
  }
}
