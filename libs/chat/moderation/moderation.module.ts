import { Module } from '@nestjs/common';
import { MessagesModule } from '#chat/messages';
import { UsersModule } from '#directory/users';
import { ModerationChannelRepository } from './moderation-channel.repository.js';
import { ModerationService } from './moderation.service.js';
import { ReportTypesEvents } from './report-types.events.js';

/** Reports to moderators; needs DatabaseModule. */
@Module({
  imports: [MessagesModule, UsersModule],
  providers: [ModerationChannelRepository, ModerationService, ReportTypesEvents],
  exports: [ModerationService],
})
export class ModerationModule {}
