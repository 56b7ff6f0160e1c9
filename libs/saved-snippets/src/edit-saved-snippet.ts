import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { SavedSnippetRepository, type SnippetEdit } from './saved-snippet.repository.js';

/** Changes a text that the caller keeps; changing nothing of it is no error. */
@Injectable()
export class EditSavedSnippet {
  constructor(private readonly snippets: SavedSnippetRepository) {}

  /** Rejects with ApiError for a snippet that is not the caller's. */
  async execute(caller: Caller, snippetId: number, edit: SnippetEdit): Promise<void> {
    if (!(await this.snippets.update(caller.userId, snippetId, edit))) {
      throw new ApiError('savedSnippetDoesNotExist');
    }
  }
}
