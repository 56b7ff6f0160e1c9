import { Module } from '@nestjs/common';
import { ChannelsModule } from '#chat/channels';
import { EventLogModule } from '#events/log';
import { UserTopicRepository } from './user-topic.repository.js';
import { UserTopicEvents } from './user-topics.events.js';
import { UserTopicsService } from './user-topics.service.js';

@Module({
  imports: [ChannelsModule, EventLogModule],
  providers: [UserTopicEvents, UserTopicRepository, UserTopicsService],
  exports: [UserTopicsService],
})
export class UserTopicsModule {}
