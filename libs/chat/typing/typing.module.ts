import { Module } from '@nestjs/common';
import { ChannelsModule } from '#chat/channels';
import { MessagesModule } from '#chat/messages';
import { GuestAccessModule } from '#directory/guest-access';
import { EphemeralEventsModule } from '#events/ephemeral';
import { TypingEvents } from './typing.events.js';
import { TypingService } from './typing.service.js';
import { TypistRepository } from './typist.repository.js';

/** Publishes to others that an account is typing; needs DatabaseModule and RedisModule. */
@Module({
  imports: [ChannelsModule, EphemeralEventsModule, GuestAccessModule, MessagesModule],
  providers: [TypingEvents, TypingService, TypistRepository],
  exports: [TypingService],
})
export class TypingModule {}
