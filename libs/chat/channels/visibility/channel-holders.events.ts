import { Injectable } from '@nestjs/common';
import { EventLog, type NewEvent } from '#events/log';
import { TimeSlice } from '#platform/core';
import type { Transaction } from '#platform/database';
import { ChannelAudienceRepository } from '../access/channel-audience.repository.js';
import { audienceOf } from '../access/channel-audience.rules.js';
import { ChannelDescriber } from '../listing/channel-describer.js';
import { channelEventType } from './channel-visibility.events.js';
import { ChannelVisibilityRepository } from './channel-visibility.repository.js';
import { toChannelResponse } from '../listing/channels.response.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';

/** Adds the events of permissions of channels that name single accounts: they omit deactivated accounts. */
@Injectable()
export class ChannelHolderEvents {
  constructor(
    private readonly visibility: ChannelVisibilityRepository,
    private readonly audiences: ChannelAudienceRepository,
    private readonly describer: ChannelDescriber,
    private readonly log: EventLog,
  ) {}

  /**
   * Adds an event for each permission that one of the groups holds, for those who may see the channel. An account that is
   * subscribed at the same time gets it, or the channel as it is afterwards.
   */
  async changed(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
  ): Promise<void> {
    await lockSubscriptions(transaction, realmId);
    const all = { withArchived: true };
    const held = await this.visibility.permissionsOf(transaction, realmId, groupIds, all);
    if (held.length === 0) return;
    const ids = held.map(({ id }) => id);
    const channels = await this.visibility.channels(transaction, ids);
    const described = await this.describer.describe(realmId, channels, transaction);
    const audiences = await this.audiences.ofChannels(transaction, ids);
    const settings = new Map(held.map((one) => [one.id, one.settings]));
    // Each audience may have all accounts.
    const slice = new TimeSlice();
    for (const one of described) {
      await slice.next();
      const { id, name, archivedAt } = one.channel;
      const found = audiences.get(id);
      if (found === undefined) continue;
      const audience = audienceOf(found);
      const shown: Readonly<Record<string, unknown>> = toChannelResponse(one);
      const events = (settings.get(id) ?? []).map((property): NewEvent => {
        const change = { op: 'update', stream_id: id, name, property, value: shown[property] };
        const body = archivedAt === null ? change : { ...change, is_archived: true };
        return { realmId, type: channelEventType.type, body, audience };
      });
      this.log.append(transaction, ...events);
    }
  }
}
