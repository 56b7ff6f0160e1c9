import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { ChannelAccess } from '../access/channel-access.js';
import type { StoredChannel } from '../channel.repository.js';
import { DefaultChannelRepository } from './default-channel.repository.js';
import { channelErrors } from '../channels.errors.js';
import { ChannelEvents } from '../channels.events.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';

/** The channels that new accounts are subscribed to. */
@Injectable()
export class DefaultChannelsService {
  constructor(
    private readonly channelAccess: ChannelAccess,
    private readonly defaults: DefaultChannelRepository,
    private readonly database: Database,
    private readonly events: ChannelEvents,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'defaultChannels'>,
  ) {}

  /**
   * Adds a default channel; repeating it succeeds. Throws `invalidChannelId` for a channel that is
   * archived or that the caller cannot see, `privateChannelCannotBeDefault` and `organizationLimitReached`.
   */
  async add(caller: Caller, channelId: number): Promise<void> {
    const channel = await this.#find(caller, channelId);
    if (channel.isPrivate) throw new ApiError(channelErrors.privateChannelCannotBeDefault);
    const limit = this.limits.defaultChannels;
    await this.database.transaction(async (transaction) => {
      const { id: realmId } = caller.realm;
      // Before the lock of the list: a request that creates channels takes both.
      await lockSubscriptions(transaction, realmId);
      const added = await this.defaults.add(transaction, realmId, channel.id, limit);
      if (added === 'list is full') {
        const details = { limit, what: 'default channels' };
        throw new ApiError(limitErrors.organizationLimitReached, details);
      }
      // The channel was archived or made private after it was read.
      if (added === 'not possible') throw new ApiError(channelErrors.invalidChannelId);
      if (added === 'added') await this.events.defaultsChanged(transaction, realmId);
    });
  }

  /**
   * Removes a default channel; repeating it succeeds. Throws `invalidChannelId` for a channel
   * that is archived or that the caller cannot see.
   */
  async remove(caller: Caller, channelId: number): Promise<void> {
    const channel = await this.#find(caller, channelId);
    await this.database.transaction(async (transaction) => {
      const { id: realmId } = caller.realm;
      await lockSubscriptions(transaction, realmId);
      await this.defaults.remove(transaction, realmId, channel.id);
      // Also without a change: clients expect the event of each request.
      await this.events.defaultsChanged(transaction, realmId);
    });
  }

  async #find(caller: Caller, channelId: number): Promise<StoredChannel> {
    const { channel } = await this.channelAccess.require(caller, channelId, 'metadata');
    if (channel.archivedAt !== null) throw new ApiError(channelErrors.invalidChannelId);
    return channel;
  }
}
