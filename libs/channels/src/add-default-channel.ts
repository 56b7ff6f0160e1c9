import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits } from '#contracts';
import { AccessChannel } from './access-channel.js';
import { DefaultChannelRepository } from './default-channel.repository.js';

/** Makes a channel one of those that new accounts are subscribed to. */
@Injectable()
export class AddDefaultChannel {
  constructor(
    private readonly accessChannel: AccessChannel,
    private readonly defaults: DefaultChannelRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'defaultChannels'>,
  ) {}

  /**
   * Doing so again is no error. Throws `invalidChannelId` for a channel that the caller may not know of
   * or that is archived, and `privateChannelCannotBeDefault`,
   * and `organizationLimitReached`.
   */
  async execute(caller: Caller, channelId: number): Promise<void> {
    const { channel } = await this.accessChannel.execute(caller, channelId, 'metadata');
    if (channel.archivedAt !== null) throw new ApiError('invalidChannelId');
    if (channel.isPrivate) throw new ApiError('privateChannelCannotBeDefault');
    const limit = this.limits.defaultChannels;
    const isAdded = await this.defaults.add(caller.realm.id, channel.id, limit);
    if (isAdded === 'list is full') {
      throw new ApiError('organizationLimitReached', { limit, what: 'default channels' });
    }
    // Archived or made private since it was read.
    if (!isAdded) throw new ApiError('invalidChannelId');
  }
}
