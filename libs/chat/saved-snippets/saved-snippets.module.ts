import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { SavedSnippetRepository } from './saved-snippet.repository.js';
import { SavedSnippetEvents } from './saved-snippets.events.js';
import { SavedSnippetsService } from './saved-snippets.service.js';

@Module({
  imports: [EventLogModule],
  providers: [SavedSnippetEvents, SavedSnippetRepository, SavedSnippetsService],
  exports: [SavedSnippetsService],
})
export class SavedSnippetsModule {}
