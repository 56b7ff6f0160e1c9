import { Module } from '@nestjs/common';
import { ChannelsModule } from '#chat/channels';
import { MessagesModule } from '#chat/messages';
import { VisibleUsersRepository } from '#directory/guest-access';
import { EphemeralEventsModule } from '#events/ephemeral';
import { TypingEvents } from './typing.events.js';
import { TypingService } from './typing.service.js';
import { TypistRepository } from './typist.repository.js';

/** Publishes to others that an account is typing; needs DatabaseModule and RedisModule. */
@Module({
  imports: [EphemeralEventsModule, ChannelsModule, MessagesModule],
  providers: [TypingEvents, TypingService, TypistRepository, VisibleUsersRepository],
  exports: [TypingService],
})
export class TypingModule {}
