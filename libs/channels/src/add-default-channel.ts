import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { AccessChannel } from './access-channel.js';
import { DefaultChannelRepository } from './default-channel.repository.js';

/** Makes a channel one of those that new accounts are subscribed to. */
@Injectable()
export class AddDefaultChannel {
  constructor(
    private readonly accessChannel: AccessChannel,
    private readonly defaults: DefaultChannelRepository,
  ) {}

  /**
   * Doing so again is no error. Throws `invalidChannelId` for a channel that the caller may not know of
   * or that is archived, and `privateChannelCannotBeDefault`.
   */
  async execute(caller: Caller, channelId: number): Promise<void> {
    const { channel } = await this.accessChannel.execute(caller, channelId, 'metadata');
    if (channel.archivedAt !== null) throw new ApiError('invalidChannelId');
    if (channel.isPrivate) throw new ApiError('privateChannelCannotBeDefault');
    // Archived or made private since it was read.
    if (!(await this.defaults.add(channel.id))) throw new ApiError('invalidChannelId');
  }
}
