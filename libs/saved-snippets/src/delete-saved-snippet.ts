import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#contracts';
import { SavedSnippetRepository } from './saved-snippet.repository.js';

/** Throws away a text that the caller keeps. */
@Injectable()
export class DeleteSavedSnippet {
  constructor(private readonly snippets: SavedSnippetRepository) {}

  /** Rejects with ApiError for a snippet that is not the caller's. */
  async execute(caller: Caller, snippetId: number): Promise<void> {
    if (!(await this.snippets.delete(caller.userId, snippetId))) {
      throw new ApiError('savedSnippetDoesNotExist');
    }
  }
}
