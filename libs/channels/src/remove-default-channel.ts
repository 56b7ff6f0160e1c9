import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { AccessChannel } from './access-channel.js';
import { DefaultChannelRepository } from './default-channel.repository.js';

/** Takes a channel from those that new accounts are subscribed to. */
@Injectable()
export class RemoveDefaultChannel {
  constructor(
    private readonly accessChannel: AccessChannel,
    private readonly defaults: DefaultChannelRepository,
  ) {}

  /**
   * A channel that is not one of them is no error. Throws `invalidChannelId` for one that the caller may
   * not know of or that is archived.
   */
  async execute(caller: Caller, channelId: number): Promise<void> {
    const { channel } = await this.accessChannel.execute(caller, channelId, 'metadata');
    if (channel.archivedAt !== null) throw new ApiError('invalidChannelId');
    await this.defaults.remove(channel.id);
  }
}
