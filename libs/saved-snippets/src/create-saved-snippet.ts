import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits } from '#contracts';
import { SavedSnippetRepository, type SnippetText } from './saved-snippet.repository.js';

/** Keeps a text for the caller. */
@Injectable()
export class CreateSavedSnippet {
  constructor(
    private readonly snippets: SavedSnippetRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'savedSnippets'>,
  ) {}

  /** Resolves with the new snippet's id. Rejects with `accountLimitReached` when the caller has too many. */
  async execute(caller: Caller, text: SnippetText): Promise<number> {
    const limit = this.limits.savedSnippets;
    const id = await this.snippets.create(caller.userId, text, limit);
    if (id === null) throw new ApiError('accountLimitReached', { limit, what: 'saved snippets' });
    return id;
  }
}
