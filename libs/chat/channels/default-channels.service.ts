import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { ChannelAccess } from './channel-access.js';
import type { StoredChannel } from './channel.repository.js';
import { DefaultChannelRepository } from './default-channel.repository.js';
import { channelErrors } from './channels.errors.js';

/** The channels that new accounts are subscribed to. */
@Injectable()
export class DefaultChannelsService {
  constructor(
    private readonly channelAccess: ChannelAccess,
    private readonly defaults: DefaultChannelRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'defaultChannels'>,
  ) {}

  /**
   * Adds a default channel; repeating that is no error. Throws `invalidChannelId` for a channel that is
   * archived or that the caller may not see, `privateChannelCannotBeDefault` and `organizationLimitReached`.
   */
  async add(caller: Caller, channelId: number): Promise<void> {
    const channel = await this.#find(caller, channelId);
    if (channel.isPrivate) throw new ApiError(channelErrors.privateChannelCannotBeDefault);
    const limit = this.limits.defaultChannels;
    const isAdded = await this.defaults.add(caller.realm.id, channel.id, limit);
    if (isAdded === 'list is full') {
      throw new ApiError(limitErrors.organizationLimitReached, { limit, what: 'default channels' });
    }
    // The channel was archived or made private after it was read.
    if (!isAdded) throw new ApiError(channelErrors.invalidChannelId);
  }

  /**
   * Removes a default channel; repeating that is no error. Throws `invalidChannelId` for a channel
   * that is archived or that the caller may not see.
   */
  async remove(caller: Caller, channelId: number): Promise<void> {
    const channel = await this.#find(caller, channelId);
    await this.defaults.remove(channel.id);
  }

  async #find(caller: Caller, channelId: number): Promise<StoredChannel> {
    const { channel } = await this.channelAccess.require(caller, channelId, 'metadata');
    if (channel.archivedAt !== null) throw new ApiError(channelErrors.invalidChannelId);
    return channel;
  }
}
