import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import {
  type SavedSnippet,
  MAX_SNIPPET_BYTES,
  SavedSnippetRepository,
  type SnippetEdit,
  type SnippetText,
} from './saved-snippet.repository.js';
import { savedSnippetErrors } from './saved-snippets.errors.js';
import { SavedSnippetEvents } from './saved-snippets.events.js';

/** The texts that users save to insert into messages. A user reads and changes only their own snippets. */
@Injectable()
export class SavedSnippetsService {
  constructor(
    private readonly snippets: SavedSnippetRepository,
    private readonly database: Database,
    private readonly events: SavedSnippetEvents,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'savedSnippets'>,
  ) {}

  /** The caller's snippets in the order of creation. */
  async list(caller: Caller): Promise<SavedSnippet[]> {
    return this.snippets.list(caller.userId);
  }

  /** Resolves with the new snippet's id. Rejects with `accountLimitReached` when the caller has too many. */
  async create(caller: Caller, text: SnippetText): Promise<number> {
    const limit = this.limits.savedSnippets;
    return this.database.transaction(async (transaction) => {
      const created = await this.snippets.create(transaction, caller.userId, text, limit);
      if (created === null)
        throw new ApiError(limitErrors.accountLimitReached, { limit, what: 'saved snippets' });
      await this.#requireBytes(transaction, caller);
      this.events.saved(transaction, caller, 'add', created);
      return created.id;
    });
  }

  /**
   * An edit without a part succeeds without an event. Rejects with `savedSnippetDoesNotExist` and `accountLimitReached`.
   */
  async edit(caller: Caller, snippetId: number, edit: SnippetEdit): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const edited = await this.snippets.update(caller.userId, snippetId, edit, transaction);
      if (edited === null) throw new ApiError(savedSnippetErrors.savedSnippetDoesNotExist);
      if (edit.title === undefined && edit.content === undefined) return;
      await this.#requireBytes(transaction, caller);
      this.events.saved(transaction, caller, 'update', edited);
    });
  }

  async #requireBytes(transaction: Transaction, { userId }: Caller): Promise<void> {
    if (await this.snippets.haveBytes(transaction, userId)) return;
    const details = { limit: MAX_SNIPPET_BYTES, what: 'bytes of saved snippets' };
    throw new ApiError(limitErrors.accountLimitReached, details);
  }

  /** Rejects with `savedSnippetDoesNotExist`. */
  async remove(caller: Caller, snippetId: number): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await this.snippets.delete(caller.userId, snippetId, transaction))) {
        throw new ApiError(savedSnippetErrors.savedSnippetDoesNotExist);
      }
      this.events.removed(transaction, caller, snippetId);
    });
  }
}
