import { Inject, Injectable } from '@nestjs/common';
import { type Caller, LIMITS, type Limits } from '#contracts';
import { type SavedSnippet, SavedSnippetRepository } from './saved-snippet.repository.js';

/** A lowered cap must not hide snippets that were saved before; an answer has its bound all the same. */
const MOST_LISTED = 1000;

/** Tells the caller of their snippets. */
@Injectable()
export class ListSavedSnippets {
  constructor(
    private readonly snippets: SavedSnippetRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'savedSnippets'>,
  ) {}

  /** In the order in which they were made: the oldest ones, where there are more than may be. */
  async execute(caller: Caller): Promise<SavedSnippet[]> {
    return this.snippets.list(caller.userId, Math.max(this.limits.savedSnippets, MOST_LISTED));
  }
}
