import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { type SavedSnippet, SavedSnippetRepository } from './saved-snippet.repository.js';
import { toSavedSnippetResponse } from './saved-snippets.response.js';

type Change =
  | { readonly op: 'add' | 'update'; readonly saved_snippet: object }
  | { readonly op: 'remove'; readonly saved_snippet_id: number };

/** The saved snippets of `POST /register`, and the events of their changes. Only the owner gets them. */
@Injectable()
@DeclaresEvents()
export class SavedSnippetEvents implements CapabilityEvents {
  readonly types = [{ type: 'saved_snippets' }];
  readonly fetchTypes = ['saved_snippets'];

  constructor(
    private readonly snippets: SavedSnippetRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest) {
    const snippets = await this.snippets.list(caller.userId, snapshot);
    return { saved_snippets: snippets.map(toSavedSnippetResponse) };
  }

  /** Adds the event of a new or an edited snippet. */
  saved(
    transaction: Transaction,
    caller: Caller,
    op: 'add' | 'update',
    snippet: SavedSnippet,
  ): void {
    this.#append(transaction, caller, { op, saved_snippet: toSavedSnippetResponse(snippet) });
  }

  /** Adds the event of a deleted snippet. */
  removed(transaction: Transaction, caller: Caller, snippetId: number): void {
    this.#append(transaction, caller, { op: 'remove', saved_snippet_id: snippetId });
  }

  #append(transaction: Transaction, owner: Caller, body: Change): void {
    this.log.appendOwn(transaction, owner, 'saved_snippets', body);
  }
}
