import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { type SavedSnippet, SavedSnippetRepository } from './saved-snippet.repository.js';

/** Tells the caller of their snippets. */
@Injectable()
export class ListSavedSnippets {
  constructor(private readonly snippets: SavedSnippetRepository) {}

  /** In the order in which they were made. */
  async execute(caller: Caller): Promise<SavedSnippet[]> {
    return this.snippets.list(caller.userId);
  }
}
