import { Injectable } from '@nestjs/common';
import { AccessChannel } from '#channels';
import { ApiError, type Caller } from '#contracts';
import { MessageFlagRepository } from './message-flag.repository.js';

/** Marks all messages of a channel as read. */
@Injectable()
export class MarkChannelAsRead {
  constructor(
    private readonly accessChannel: AccessChannel,
    private readonly flags: MessageFlagRepository,
  ) {}

  /** Throws `invalidChannelId` for a channel that the caller may not read, and for an archived one. */
  async execute(caller: Caller, channelId: number): Promise<void> {
    const { channel } = await this.accessChannel.execute(caller, channelId, 'content');
    if (channel.archivedAt !== null) throw new ApiError('invalidChannelId');
    await this.flags.markChannel(caller.userId, channelId);
  }
}
