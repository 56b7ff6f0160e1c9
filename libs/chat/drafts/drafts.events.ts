import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { type Draft, DraftRepository } from './draft.repository.js';
import { toDraftResponse } from './drafts.response.js';

type Change =
  | { readonly op: 'add'; readonly drafts: readonly object[] }
  | { readonly op: 'update'; readonly draft: object }
  | { readonly op: 'remove'; readonly draft_id: number };

/** The drafts of `POST /register`, and the events of their changes. Only the owner gets them. */
@Injectable()
@DeclaresEvents()
export class DraftEvents implements CapabilityEvents {
  readonly types = [{ type: 'drafts' }];
  readonly fetchTypes = ['drafts'];

  constructor(
    private readonly drafts: DraftRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest) {
    const drafts = await this.drafts.list(caller.userId, snapshot);
    return { drafts: drafts.map(toDraftResponse) };
  }

  /** Adds the event of new drafts. */
  added(transaction: Transaction, caller: Caller, drafts: readonly Draft[]): void {
    this.#append(transaction, caller, { op: 'add', drafts: drafts.map(toDraftResponse) });
  }

  /** Adds the event of an edited draft. */
  edited(transaction: Transaction, caller: Caller, draft: Draft): void {
    this.#append(transaction, caller, { op: 'update', draft: toDraftResponse(draft) });
  }

  /** Adds the event of a deleted draft. */
  removed(transaction: Transaction, caller: Caller, draftId: number): void {
    this.#append(transaction, caller, { op: 'remove', draft_id: draftId });
  }

  #append(transaction: Transaction, owner: Caller, body: Change): void {
    this.log.appendOwn(transaction, owner, 'drafts', body);
  }
}
