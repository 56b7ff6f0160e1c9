import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type MessageErasure, MessageErasureRepository } from '#directory/users';
import { errorText, isStoreDown, PeriodicService, PeriodicTask } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { LockedMessageRepository } from '../changing/locked-message.repository.js';
import { MAX_DELETED, MessageDeleter } from '../deleting/message-deleter.js';
import { ErasedMessageRepository } from './erased-message.repository.js';

const PERIOD_MS = 5000;
/** After a pass with messages that could not be deleted. */
const REST_MS = 3_600_000;
/** The messages that the log names. */
const MAX_NAMED = 20;

/** One way through the messages of an account. */
interface Pass {
  readonly userId: number;
  /** The messages of the next slice at most: fewer after a failure. */
  most: number;
  deleted: number;
  /** The first message of the slice; null before it is known. */
  firstId: number | null;
  /** Those that could not be deleted. */
  readonly stayed: number[];
  /** Behind the first that stayed: up to this message, all others are deleted. Only the memory has it, so that a later pass tries them again. */
  afterId: number;
}

/**
 * Deletes the messages of accounts that were deactivated with them: in every gateway. Slices are committed one by one, and
 * gateways skip the accounts of each other. A message that cannot be deleted stays, and stops no other.
 */
@Injectable()
export class MessageErasureService extends PeriodicService {
  readonly #logger = new Logger(MessageErasureService.name);
  /** Accounts with messages that could not be deleted, by the time of the next pass. */
  readonly #restingUntil = new Map<number, number>();
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
      if (performance.now() < (this.#restingUntil.get(userId) ?? 0)) continue;
      this.#restingUntil.delete(userId);
      await this.#eraseOf(userId).catch((failure: unknown) => failures.push(failure));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #eraseOf(userId: number): Promise<void> {
    const pass: Pass = {
      userId,
      most: MAX_DELETED,
      deleted: 0,
      firstId: null,
      stayed: [],
      afterId: 0,
    };
    let isOver = false;
    while (!isOver && !this.task.isStopping) {
      const startedAt = performance.now();
      isOver = await this.#eraseSlice(pass);
      // A slice blocks new messages of its place; an equally long pause lets them through.
      await delay(performance.now() - startedAt);
    }
    const { deleted, stayed } = pass;
    if (deleted > 0)
      this.#logger.log(`Deleted ${deleted} messages of the deactivated account ${userId}.`);
    if (stayed.length === 0) return;
    this.#restingUntil.set(userId, performance.now() + REST_MS);
    this.#logger.error(
      `${stayed.length} messages of the deactivated account ${userId} could not be deleted, the first ones ` +
        `${stayed.slice(0, MAX_NAMED).join(', ')}. They are tried again in an hour.`,
    );
  }

  /** Deletes a slice; a message that cannot be deleted even alone stays. Resolves with whether no other message is left. */
  async #eraseSlice(pass: Pass): Promise<boolean> {
    pass.firstId = null;
    try {
      const deleted = await this.database.transaction((transaction) =>
        this.#deleteSlice(transaction, pass),
      );
      pass.deleted += deleted ?? 0;
      pass.most = Math.min(MAX_DELETED, pass.most * 2);
      return deleted === null;
    } catch (failure) {
      if (pass.firstId === null || isStoreDown(failure)) throw failure;
      if (pass.most === 1) this.#leave(pass, pass.firstId, failure);
      else pass.most = Math.floor(pass.most / 2);
      return false;
    }
  }

  #leave(pass: Pass, messageId: number, failure: unknown): void {
    const { userId, stayed } = pass;
    stayed.push(messageId);
    pass.afterId = messageId;
    if (stayed.length > MAX_NAMED) return;
    const subject = `Message ${messageId} of the deactivated account ${userId}`;
    this.#logger.error(`${subject} could not be deleted: ${errorText(failure)}`);
  }

  /** Resolves with the number of deleted messages; null if no other is left, or another gateway deletes them. */
  async #deleteSlice(transaction: Transaction, pass: Pass): Promise<number | null> {
    const stored = await this.erasures.lock(transaction, pass.userId);
    if (stored === null) return null;
    const { realmId } = stored;
    const erasure = pass.stayed.length === 0 ? stored : { ...stored, afterId: pass.afterId };
    const first = await this.messages.first(transaction, erasure);
    if (first === null) return this.#skip(transaction, erasure, pass);
    pass.firstId = first.id;
    const { channelId } = first;
    await this.places.lockPlace(transaction, realmId, first);
    // The first one may have moved before its place was locked.
    const locked = await this.messages.lock(transaction, erasure, first, pass.most);
    const deleted = await this.deleter.deleteAll(transaction, null, { realmId, channelId }, locked);
    await this.#continueAfter(transaction, first.id - 1, pass);
    return deleted;
  }

  /** Passes messages that are not to be deleted. Resolves with null if the account has no others. */
  async #skip(transaction: Transaction, erasure: MessageErasure, pass: Pass): Promise<0 | null> {
    const last = await this.messages.last(transaction, erasure);
    if (last === null) {
      if (pass.stayed.length === 0) await this.erasures.finish(transaction, pass.userId);
      return null;
    }
    await this.#continueAfter(transaction, last, pass);
    return 0;
  }

  async #continueAfter(transaction: Transaction, messageId: number, pass: Pass): Promise<void> {
    if (pass.stayed.length > 0) pass.afterId = messageId;
    else await this.erasures.continueAfter(transaction, pass.userId, messageId);
  }
}
