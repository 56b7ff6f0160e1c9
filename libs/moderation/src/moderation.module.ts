import { Module } from '@nestjs/common';
import { MessagesModule } from '#messages';
import { UsersModule } from '#users';
import { ModerationChannelRepository } from './moderation-channel.repository.js';
import { ReportMessage } from './report-message.js';

/** Reports to moderators; needs DatabaseModule. */
@Module({
  imports: [MessagesModule, UsersModule],
  providers: [ModerationChannelRepository, ReportMessage],
  exports: [ReportMessage],
})
export class ModerationModule {}
