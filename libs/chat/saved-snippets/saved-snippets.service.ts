import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import {
  type SavedSnippet,
  SavedSnippetRepository,
  type SnippetEdit,
  type SnippetText,
} from './saved-snippet.repository.js';
import { savedSnippetErrors } from './saved-snippets.errors.js';

/** The bound of a list when the operator has lowered the cap: snippets saved before must stay visible. */
const MOST_LISTED = 1000;

/** The texts that users save to insert into messages. A user reads and changes only their own snippets. */
@Injectable()
export class SavedSnippetsService {
  constructor(
    private readonly snippets: SavedSnippetRepository,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'savedSnippets'>,
  ) {}

  /** The caller's snippets in the order of creation; only the oldest ones if the user has more than the cap. */
  async list(caller: Caller): Promise<SavedSnippet[]> {
    return this.snippets.list(caller.userId, Math.max(this.limits.savedSnippets, MOST_LISTED));
  }

  /** Resolves with the new snippet's id. Rejects with `accountLimitReached` when the caller has too many. */
  async create(caller: Caller, text: SnippetText): Promise<number> {
    const limit = this.limits.savedSnippets;
    const id = await this.snippets.create(caller.userId, text, limit);
    if (id === null)
      throw new ApiError(limitErrors.accountLimitReached, { limit, what: 'saved snippets' });
    return id;
  }

  /** An edit that changes nothing is no error. Rejects with `savedSnippetDoesNotExist`. */
  async edit(caller: Caller, snippetId: number, edit: SnippetEdit): Promise<void> {
    if (!(await this.snippets.update(caller.userId, snippetId, edit))) {
      throw new ApiError(savedSnippetErrors.savedSnippetDoesNotExist);
    }
  }

  /** Rejects with `savedSnippetDoesNotExist`. */
  async remove(caller: Caller, snippetId: number): Promise<void> {
    if (!(await this.snippets.delete(caller.userId, snippetId))) {
      throw new ApiError(savedSnippetErrors.savedSnippetDoesNotExist);
    }
  }
}
