import { Module } from '@nestjs/common';
import { SavedSnippetRepository } from './saved-snippet.repository.js';
import { SavedSnippetsService } from './saved-snippets.service.js';

@Module({
  providers: [SavedSnippetRepository, SavedSnippetsService],
  exports: [SavedSnippetsService],
})
export class SavedSnippetsModule {}
