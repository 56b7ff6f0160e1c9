import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type MessageErasure, MessageErasureRepository } from '#directory/users';
import { PeriodicService, PeriodicTask } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { LockedMessageRepository } from '../changing/locked-message.repository.js';
import { MAX_DELETED, MessageDeleter } from '../deleting/message-deleter.js';
import { ErasedMessageRepository } from './erased-message.repository.js';

const PERIOD_MS = 5000;

/**
 * Deletes the messages of accounts that were deactivated with them: in every gateway. Slices are committed one by one, and
 * gateways skip the accounts of each other.
 */
@Injectable()
export class MessageErasureService extends PeriodicService {
  readonly #logger = new Logger(MessageErasureService.name);
  protected readonly task = new PeriodicTask(PERIOD_MS, () => this.eraseAll(), {
    failure: 'Messages of deactivated accounts were not all deleted',
    logger: this.#logger,
  });

  constructor(
    private readonly erasures: MessageErasureRepository,
    private readonly messages: ErasedMessageRepository,
    private readonly places: LockedMessageRepository,
    private readonly deleter: MessageDeleter,
    private readonly database: Database,
  ) {
    super();
  }

  /** Deletes all messages that are to be deleted. Rejects with the first failure, after all other accounts. */
  async eraseAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const userId of await this.erasures.accounts()) {
      await this.#eraseOf(userId).catch((failure: unknown) => failures.push(failure));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #eraseOf(userId: number): Promise<void> {
    let deleted: number | null = 0;
    let all = 0;
    while (deleted !== null && !this.task.isStopping) {
      const startedAt = performance.now();
      deleted = await this.database.transaction((transaction) =>
        this.#deleteSlice(transaction, userId),
      );
      all += deleted ?? 0;
      // A slice blocks new messages of its place; an equally long pause lets them through.
      await delay(performance.now() - startedAt);
    }
    if (all > 0) this.#logger.log(`Deleted ${all} messages of the deactivated account ${userId}.`);
  }

  /** Resolves with the number of deleted messages; null if none is left, or another gateway deletes them. */
  async #deleteSlice(transaction: Transaction, userId: number): Promise<number | null> {
    const erasure = await this.erasures.lock(transaction, userId);
    if (erasure === null) return null;
    const first = await this.messages.first(transaction, erasure);
    if (first === null) return this.#skip(transaction, erasure);
    const { realmId } = erasure;
    const { channelId } = first;
    await this.places.lockPlace(transaction, realmId, first);
    // The first one may have moved before its place was locked.
    const locked = await this.messages.lock(transaction, erasure, first, MAX_DELETED);
    const deleted = await this.deleter.deleteAll(transaction, null, { realmId, channelId }, locked);
    await this.erasures.continueAfter(transaction, userId, first.id - 1);
    return deleted;
  }

  /** Passes messages that stay. Resolves with null if the account has no others. */
  async #skip(transaction: Transaction, erasure: MessageErasure): Promise<0 | null> {
    const { userId } = erasure;
    const last = await this.messages.last(transaction, erasure);
    if (last === null) {
      await this.erasures.finish(transaction, userId);
      return null;
    }
    await this.erasures.continueAfter(transaction, userId, last);
    return 0;
  }
}
