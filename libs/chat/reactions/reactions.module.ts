import { Module } from '@nestjs/common';
import { EmojiModule } from '#chat/emoji';
import { MessagesModule } from '#chat/messages';
import { EventLogModule } from '#events/log';
import { ReactionRepository } from './reaction.repository.js';
import { ReactionEvents } from './reactions.events.js';
import { ReactionsService } from './reactions.service.js';

/** Reactions to messages; needs DatabaseModule. */
@Module({
  imports: [EmojiModule, EventLogModule, MessagesModule],
  providers: [ReactionEvents, ReactionRepository, ReactionsService],
  exports: [ReactionsService],
})
export class ReactionsModule {}
