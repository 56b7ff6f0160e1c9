import { Injectable } from '@nestjs/common';
import { type Audience, EventLog, type NewEvent } from '#events/log';
import type { Transaction } from '#platform/database';
import { ChannelAudienceRepository } from '../access/channel-audience.repository.js';
import { type ChannelAudience, listedIn } from '../access/channel-audience.rules.js';
import { ChannelDescriber, type ChannelDescription } from '../listing/channel-describer.js';
import type { StoredChannel } from '../channel.repository.js';
import { toChannelResponse } from '../listing/channels.response.js';
import { RealmSettingsService } from '../realm-settings/realm-settings.service.js';
import { combined } from '../subscribing/combined.rules.js';
import { SubscriberRepository } from '../subscriptions/subscriber.repository.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import { subscriptionEventType } from '../subscriptions/subscriptions.events.js';
import { updatesOf } from './channel-update.rules.js';
import { nobody, visibilityChange } from './visibility-change.rules.js';

const STREAM = 'stream';

/** A channel before a change: how it is shown, and to whom. */
interface ChannelBefore {
  readonly described: ChannelDescription;
  readonly audience: ChannelAudience;
}

/** Adds the events of changed channels. */
@Injectable()
export class ChannelChangeEvents {
  constructor(
    private readonly audiences: ChannelAudienceRepository,
    private readonly describer: ChannelDescriber,
    private readonly subscriptions: SubscriptionRepository,
    private readonly subscribers: SubscriberRepository,
    private readonly tasks: RealmSettingsService,
    private readonly log: EventLog,
  ) {}

  /** Reads the state that `changed` compares with; runs before the change in its transaction. */
  async before(transaction: Transaction, channel: StoredChannel): Promise<ChannelBefore> {
    const [described] = await this.describer.describe(channel.realmId, [channel], transaction);
    const audience = (await this.audiences.ofChannels(transaction, [channel.id])).get(channel.id);
    if (described === undefined || audience === undefined) {
      throw new Error(`Channel ${channel.id} was not found in its transaction`);
    }
    return { described, audience };
  }

  /** Adds the events of a change, after it: the channel for those who see it from now on, the changes, its end for others. */
  async changed(
    transaction: Transaction,
    before: ChannelBefore,
    channel: StoredChannel,
  ): Promise<void> {
    const after = await this.before(transaction, channel);
    const { realmId, id } = channel;
    const shown = toChannelResponse(after.described);
    const guests =
      before.audience.everyone === 'all' ? await this.audiences.guests(transaction, realmId) : [];
    const visibility = visibilityChange(before.audience, after.audience, guests);
    const { gaining, staying, losing } = visibility;
    if (losing !== nobody) await this.#forget(transaction, after.audience, losing);
    const userIds =
      (await this.subscriptions.subscribersOf([id], transaction)).get(id)?.userIds ?? [];
    // Clients that do not know archived channels do not learn of one that is archived in this change.
    const marker = channel.archivedAt === null ? {} : { is_archived: true };
    const events: NewEvent[] = [
      // The events of its subscribers follow.
      {
        realmId,
        type: STREAM,
        body: { op: 'create', streams: [{ ...shown, subscriber_count: 0 }], ...marker },
        audience: gaining,
      },
      ...updatesOf(toChannelResponse(before.described), shown).map((body) => ({
        realmId,
        type: STREAM,
        body,
        audience: staying,
      })),
      {
        realmId,
        type: STREAM,
        body: { op: 'delete', streams: [{ stream_id: id }], stream_ids: [id] },
        audience: losing,
      },
    ];
    const peers: NewEvent = {
      realmId,
      type: subscriptionEventType.type,
      body: { op: 'peer_add', user_ids: userIds, stream_ids: [id], ...marker },
      audience: gaining,
    };
    this.log.append(
      transaction,
      ...(await combined(events)),
      ...(userIds.length > 0 ? await combined([peers]) : []),
    );
  }

  /** Deletes the settings of former subscribers who cannot see the channel any more. */
  async #forget(transaction: Transaction, after: ChannelAudience, losing: Audience): Promise<void> {
    const { channelId, everyone } = after;
    if (everyone === null || 'everyone' in losing) {
      await this.subscribers.forgetOthers(transaction, channelId, listedIn(after));
    } else {
      await this.subscribers.forget(transaction, [{ channelId, userIds: losing.userIds }]);
    }
  }

  /** Ends the tasks that an archived channel has in the organisation, with their events. */
  async archived(transaction: Transaction, { realmId, id }: StoredChannel): Promise<void> {
    await this.tasks.end(transaction, realmId, id);
  }
}
