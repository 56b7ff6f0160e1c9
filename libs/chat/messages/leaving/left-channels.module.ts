import { Global, Module } from '@nestjs/common';
import { SUBSCRIPTION_HOOK } from '#chat/channels';
import { MessagesModule } from '../messages.module.js';
import { LeftChannelRepository } from './left-channel.repository.js';
import { LeftChannels } from './left-channels.js';

/** Marks messages of channels as read for accounts that have left them. Needs DatabaseModule. */
@Global()
@Module({
  imports: [MessagesModule],
  providers: [
    LeftChannelRepository,
    LeftChannels,
    { provide: SUBSCRIPTION_HOOK, useExisting: LeftChannels },
  ],
  exports: [SUBSCRIPTION_HOOK],
})
export class LeftChannelsModule {}
