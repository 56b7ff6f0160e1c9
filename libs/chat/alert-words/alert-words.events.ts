import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';
import { EventLog } from '#events/log';
import type { Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { AlertWordRepository } from './alert-word.repository.js';

/** The alert words of `POST /register`, and the events of their changes. Only the owner gets them. */
@Injectable()
@DeclaresEvents()
export class AlertWordEvents implements CapabilityEvents {
  readonly types = [{ type: 'alert_words' }];
  readonly fetchTypes = ['alert_words'];

  constructor(
    private readonly words: AlertWordRepository,
    private readonly log: EventLog,
  ) {}

  async readState({ caller, snapshot }: StateRequest) {
    return { alert_words: await this.words.list(caller.userId, snapshot) };
  }

  /** Adds the event of a changed list. */
  changed(transaction: Transaction, owner: Caller, words: readonly string[]): void {
    this.log.appendOwn(transaction, owner, 'alert_words', { alert_words: words });
  }
}
