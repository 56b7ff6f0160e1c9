import { Module } from '@nestjs/common';
import { CreateSavedSnippet } from './create-saved-snippet.js';
import { DeleteSavedSnippet } from './delete-saved-snippet.js';
import { EditSavedSnippet } from './edit-saved-snippet.js';
import { ListSavedSnippets } from './list-saved-snippets.js';
import { SavedSnippetRepository } from './saved-snippet.repository.js';

/** Texts that a user keeps to insert into messages. */
@Module({
  providers: [
    CreateSavedSnippet,
    DeleteSavedSnippet,
    EditSavedSnippet,
    ListSavedSnippets,
    SavedSnippetRepository,
  ],
  exports: [CreateSavedSnippet, DeleteSavedSnippet, EditSavedSnippet, ListSavedSnippets],
})
export class SavedSnippetsModule {}
