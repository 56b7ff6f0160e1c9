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

/** The settings of an account that its subscriptions inherit, with their properties. */
export const inheritedSettings = {
  enable_stream_desktop_notifications: 'desktop_notifications',
  enable_stream_audible_notifications: 'audible_notifications',
  enable_stream_push_notifications: 'push_notifications',
  enable_stream_email_notifications: 'email_notifications',
  wildcard_mentions_notify: 'wildcard_mentions_notify',
} as const;

/** The `op` of the event of an inherited setting. Clients get an update of each subscription, or nothing if they know null. */
export const INHERITS = 'inherit';

/**
 * The events of subscriptions. Clients without the capability do not know of archived channels; only they get the events of
 * a channel that is brought back (`is_revived`).
 */
export const subscriptionEventType: EventType = {
  type: 'subscription',
  formsOf: ({ is_archived: isArchived, is_revived: isRevived, inherited, ...event }, options) => {
    const isUnknown = isCapable(options, 'archived_channels') ? isRevived : isArchived;
    if (isUnknown === true) return [];
    if (event['op'] === INHERITS) return inheritedBy(event, options);
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

function inheritedBy({ stream_ids, ...setting }: Body, options: QueueOptions): Body[] {
  if (isCapable(options, 'notification_settings_null')) return [];
  // The events of inherited settings have the list of the channels.
  return (stream_ids as readonly number[]).map((stream_id) => ({
    ...setting,
    op: 'update',
    stream_id,
  }));
}

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

  /** Adds the events of the subscriptions of deactivated accounts, in the transaction of the change. */
  async peersRemoved(transaction: Transaction, peers: Peers): Promise<void> {
    await this.#append(transaction, 'peer_remove', peers);
  }

  async #append(
    transaction: Transaction,
    op: 'peer_add' | 'peer_remove',
    { realmId, userIds }: Peers,
  ): Promise<void> {
    const changes = await peerChangesOf(await this.peers.ofUsers(transaction, userIds));
    const events = changes.map(({ channelIds, userIds: user_ids, isArchived, audience }) => ({
      realmId,
      type: subscriptionEventType.type,
      body: { op, stream_ids: channelIds, user_ids, ...(isArchived && { is_archived: true }) },
      audience,
    }));
    this.log.append(transaction, ...events);
  }
}
