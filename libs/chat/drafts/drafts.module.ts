import { Module } from '@nestjs/common';
import { ChannelsModule } from '#chat/channels';
import { MessagesModule } from '#chat/messages';
import { EventLogModule } from '#events/log';
import { DraftRepository } from './draft.repository.js';
import { DraftEvents } from './drafts.events.js';
import { DraftsService } from './drafts.service.js';

/** Drafts. Needs DatabaseModule. */
@Module({
  imports: [ChannelsModule, EventLogModule, MessagesModule],
  providers: [DraftEvents, DraftRepository, DraftsService],
  exports: [DraftsService],
})
export class DraftsModule {}
