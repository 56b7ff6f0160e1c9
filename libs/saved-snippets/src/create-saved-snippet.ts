import { Injectable } from '@nestjs/common';
import type { Caller } from '#contracts';
import { SavedSnippetRepository, type SnippetText } from './saved-snippet.repository.js';

/** Keeps a text for the caller. */
@Injectable()
export class CreateSavedSnippet {
  constructor(private readonly snippets: SavedSnippetRepository) {}

  /** Resolves with the new snippet's id. */
  async execute(caller: Caller, text: SnippetText): Promise<number> {
    return this.snippets.create(caller.userId, text);
  }
}
