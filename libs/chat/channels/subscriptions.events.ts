import { Injectable } from '@nestjs/common';
import { type EventType, isCapable, type QueueOptions } from '#events/declarations';
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
  formsOf: ({ is_archived: isArchived, inherited, ...event }, options) => {
    if (isArchived === true && !isCapable(options, 'archived_channels')) return [];
    if (event['op'] !== 'add') return [event];
    // The events of new subscriptions have lists of objects.
    const subscriptions = event['subscriptions'] as readonly Body[];
    return [
      {
        ...event,
        subscriptions: subscriptions.map((one) => shownTo(one, inherited as Body, options)),
      },
    ];
  },
};

type Body = Readonly<Record<string, unknown>>;

/** A new subscription with the subscribers, if the client wants them, and without null, if the client does not know it. */
function shownTo(subscription: Body, inherited: Body, options: QueueOptions): Body {
  const { subscribers, ...rest } = subscription;
  const withList = options.includeSubscribers === false ? rest : { ...rest, subscribers };
  if (isCapable(options, 'notification_settings_null')) return withList;
  const effective = Object.entries(inherited).map(([name, value]) => [name, rest[name] ?? value]);
  return { ...withList, ...Object.fromEntries(effective) };
}

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
