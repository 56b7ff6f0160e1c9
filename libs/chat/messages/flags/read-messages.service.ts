import { Inject, Injectable } from '@nestjs/common';
import { Database, type Session, type Transaction } from '#platform/database';
import { MessageEvents } from '../messages.events.js';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import {
  type MessageRange,
  ReadMessagesRepository,
  type ReadSlice,
} from './read-messages.repository.js';

/** An account of an organisation. */
interface Reader {
  readonly userId: number;
  readonly realmId: number;
}

/** Marks messages of an account as read, tells its clients, and removes the notifications from phones. */
@Injectable()
export class ReadMessagesService {
  constructor(
    private readonly repository: ReadMessagesRepository,
    private readonly database: Database,
    private readonly events: MessageEvents,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /** Marks some messages. Resolves with the ids of those that have a row of the account, in ascending order. */
  async markNamed(
    transaction: Transaction,
    reader: Reader,
    messageIds: readonly number[],
  ): Promise<number[]> {
    const named = await this.repository.markNamed(transaction, reader.userId, messageIds);
    await this.#announce(transaction, {
      ...reader,
      read: named.filter(({ wasRead }) => !wasRead).map(({ id }) => id),
      onScreen: named.filter(({ wasOnScreen }) => wasOnScreen).map(({ id }) => id),
    });
    return named.map(({ id }) => id);
  }

  /**
   * Marks all unread messages of a range, in slices, so that each statement is short. Each slice is committed, except in
   * a transaction of the caller. After a failure the committed slices stay marked, and a repetition continues behind them.
   */
  async markRange(
    userId: number,
    range: MessageRange,
    session: Session = this.database,
  ): Promise<void> {
    let next: MessageRange | null = range;
    while (next !== null) {
      const current: MessageRange = next;
      const slice = await session.transaction(async (transaction) => {
        const marked = await this.repository.markSlice(transaction, userId, current);
        await this.#announce(transaction, { userId, ...marked });
        return marked;
      });
      next = behind(current, slice);
    }
  }

  /** Marks all unread messages of a small range in one transaction, with one event. */
  async markRangeWithin(
    transaction: Transaction,
    userId: number,
    range: MessageRange,
  ): Promise<void> {
    const [read, onScreen]: [number[], number[]] = [[], []];
    let realmId = 0;
    let next: MessageRange | null = range;
    while (next !== null) {
      const slice = await this.repository.markSlice(transaction, userId, next);
      read.push(...slice.read);
      onScreen.push(...slice.onScreen);
      ({ realmId } = slice);
      next = behind(next, slice);
    }
    await this.#announce(transaction, { userId, realmId, read, onScreen });
  }

  /** Waits for the messages of a sender that are being stored, and resolves with the id of the newest; 0 without any. */
  async newestFrom(senderId: number, session: Session = this.database): Promise<number> {
    return this.repository.newestFrom(senderId, session);
  }

  /** Waits for the messages of a sender that are being stored, and delays new ones until the end of the transaction. */
  async lockSender(transaction: Transaction, senderId: number): Promise<void> {
    await this.repository.lockSender(transaction, senderId);
  }

  async #announce(
    transaction: Transaction,
    { userId, realmId, read, onScreen }: Reader & Pick<ReadSlice, 'read' | 'onScreen'>,
  ): Promise<void> {
    this.events.flagChanged(
      transaction,
      { userId, realmId },
      { flag: 'read', isSet: true, messageIds: read },
    );
    if (onScreen.length === 0) return;
    const messages = onScreen.map((messageId) => ({ userId, messageId }));
    transaction.afterCommit(await this.notifier.read(transaction, messages));
  }
}

const behind = (range: MessageRange, { last, isFull }: ReadSlice): MessageRange | null =>
  isFull && last !== null ? { ...range, after: last } : null;
