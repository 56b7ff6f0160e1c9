import { Global, Module } from '@nestjs/common';
import { CHANNEL_NOTICES, ChannelsModule } from '#chat/channels';
import { MessagesModule } from '#chat/messages';
import { GROUP_NOTICES } from '#directory/groups';
import { BotNotices } from './bot-notices.js';

/** Notices about channels and groups, sent as messages of the Notification Bot. */
@Global()
@Module({
  imports: [ChannelsModule, MessagesModule],
  providers: [
    BotNotices,
    { provide: CHANNEL_NOTICES, useExisting: BotNotices },
    { provide: GROUP_NOTICES, useExisting: BotNotices },
  ],
  exports: [CHANNEL_NOTICES, GROUP_NOTICES],
})
export class ChannelNoticesModule {}
