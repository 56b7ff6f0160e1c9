import { Global, Module } from '@nestjs/common';
import { CHANNEL_NOTICES } from '#chat/channels';
import { MessagesModule } from '#chat/messages';
import { UsersModule } from '#directory/users';
import { BotNotices } from './bot-notices.js';

/** Notices about channels, sent as messages of the Notification Bot. */
@Global()
@Module({
  imports: [MessagesModule, UsersModule],
  providers: [BotNotices, { provide: CHANNEL_NOTICES, useExisting: BotNotices }],
  exports: [CHANNEL_NOTICES],
})
export class ChannelNoticesModule {}
