import { Injectable } from '@nestjs/common';
import { ApiError, type Caller, limitErrors } from '#platform/contracts';
import { TimeSlice } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { AlertWordRepository } from './alert-word.repository.js';
import { AlertWordEvents } from './alert-words.events.js';
import { firstRunOf, fold, hasWord, runsOf } from './alert-words.rules.js';

export const MAX_WORDS = 1000;

/** The words whose messages accounts want to notice. */
@Injectable()
export class AlertWordsService {
  constructor(
    private readonly words: AlertWordRepository,
    private readonly database: Database,
    private readonly events: AlertWordEvents,
  ) {}

  /** The caller's words in alphabetical order. */
  async list(caller: Caller): Promise<string[]> {
    return this.words.list(caller.userId);
  }

  /**
   * Adds the words that the caller does not have in any case, and resolves with all words of the caller. Blank words are
   * ignored. Rejects with `accountLimitReached`.
   */
  async add(caller: Caller, given: readonly string[]): Promise<string[]> {
    const words = given
      .map((text) => text.trim())
      .filter((word) => word !== '')
      .map((word) => ({ word, folded: fold(word), firstRun: firstRunOf(fold(word)) }));
    const account = { userId: caller.userId, realmId: caller.realm.id };
    return this.#change(caller, (transaction) => this.words.add(transaction, account, words));
  }

  /** Removes words in any case, and resolves with the remaining words of the caller. Other words are ignored. */
  async remove(caller: Caller, given: readonly string[]): Promise<string[]> {
    const folded = given.map((text) => fold(text.trim()));
    return this.#change(caller, (transaction) =>
      this.words.remove(transaction, caller.userId, folded),
    );
  }

  async #change(
    caller: Caller,
    change: (transaction: Transaction) => Promise<number>,
  ): Promise<string[]> {
    return this.database.transaction(async (transaction) => {
      await this.words.lock(transaction, caller.userId);
      const changed = await change(transaction);
      const words = await this.words.list(caller.userId, transaction);
      if (words.length > MAX_WORDS) {
        const full = { limit: MAX_WORDS, what: 'alert words' };
        throw new ApiError(limitErrors.accountLimitReached, full);
      }
      if (changed > 0) this.events.changed(transaction, caller, words);
      return words;
    });
  }

  /**
   * The accounts of an organisation with a word in a text: one statement. It reads only the words that begin like a word
   * of the text, up to 1,000 of each account, and compares them in time slices.
   */
  async alertedBy(realmId: number, text: string): Promise<number[]> {
    const folded = fold(text);
    const candidates = await this.words.beginningWith(realmId, runsOf(folded));
    const isIn = new Map<string, boolean>();
    const slice = new TimeSlice();
    for (const { folded: word } of candidates) {
      await slice.next();
      if (!isIn.has(word)) isIn.set(word, hasWord(folded, word));
    }
    const alerted = candidates.filter(({ folded: word }) => isIn.get(word) === true);
    return [...new Set(alerted.map(({ userId }) => userId))];
  }
}
