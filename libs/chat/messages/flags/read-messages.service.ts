import { Inject, Injectable } from '@nestjs/common';
import { EventLog } from '#events/log';
import { Database, type Session, type Transaction } from '#platform/database';
import type { RealmAccount } from '#platform/contracts';
import { MessageEvents } from '../messages.events.js';
import { MESSAGE_NOTIFIER, type MessageNotifier } from '../message-notifier.js';
import {
  type MessageRange,
  type ReadMessage,
  ReadMessagesRepository,
  type ReadSlice,
} from './read-messages.repository.js';

/** Marks messages of an account as read, with the events, and removes the notifications from phones. */
@Injectable()
export class ReadMessagesService {
  constructor(
    private readonly repository: ReadMessagesRepository,
    private readonly database: Database,
    private readonly events: MessageEvents,
    private readonly log: EventLog,
    @Inject(MESSAGE_NOTIFIER) private readonly notifier: MessageNotifier,
  ) {}

  /** Marks some messages. Resolves with those that have a row of the account, in ascending order. */
  async markNamed(
    transaction: Transaction,
    reader: RealmAccount,
    messageIds: readonly number[],
  ): Promise<ReadMessage[]> {
    const named = await this.repository.markNamed(transaction, reader.userId, messageIds);
    await this.#publishAndClearPhones(transaction, {
      ...reader,
      read: named.filter(({ wasRead }) => !wasRead).map(({ id }) => id),
      onScreen: named.filter(({ wasOnScreen }) => wasOnScreen).map(({ id }) => id),
    });
    return named;
  }

  /**
   * Marks all unread messages of a range, in slices, so that each statement is short. Each slice is committed, except in
   * a transaction of the caller. After a failure the committed slices stay marked, and a repetition continues behind them.
   * Resolves with whether there was one.
   */
  async markRange(
    userId: number,
    range: MessageRange,
    session: Session = this.database,
  ): Promise<boolean> {
    let hasRead = false;
    let next: MessageRange | null = range;
    while (next !== null) {
      const current: MessageRange = next;
      const slice = await session.transaction((transaction) =>
        this.#markSlice(transaction, userId, current),
      );
      hasRead ||= slice.read.length > 0;
      next = behind(current, slice);
    }
    return hasRead;
  }

  /** Marks a slice of the unread messages of a range. Resolves with the range behind it; null if it was the last one. */
  async markSlice(
    transaction: Transaction,
    userId: number,
    range: MessageRange,
  ): Promise<MessageRange | null> {
    return behind(range, await this.#markSlice(transaction, userId, range));
  }

  async #markSlice(transaction: Transaction, userId: number, range: MessageRange) {
    const slice = await this.repository.markSlice(transaction, userId, range);
    await this.#publishAndClearPhones(transaction, { userId, ...slice });
    return slice;
  }

  /** Marks all unread messages of a small range in one transaction, with one event. */
  async markRangeWithin(
    transaction: Transaction,
    userId: number,
    range: MessageRange,
  ): Promise<void> {
    const read: number[] = [];
    const onScreen: number[] = [];
    let realmId = 0;
    let next: MessageRange | null = range;
    while (next !== null) {
      const slice = await this.repository.markSlice(transaction, userId, next);
      read.push(...slice.read);
      onScreen.push(...slice.onScreen);
      realmId = slice.realmId;
      next = behind(next, slice);
    }
    await this.#publishAndClearPhones(transaction, { userId, realmId, read, onScreen });
  }

  /**
   * Marks all unread messages of an account, in slices that are committed one by one. The event of the last slice says
   * that no unread message is left, also among those that arrived meanwhile. Resolves with false if the time is over
   * before.
   */
  async markAll(reader: RealmAccount, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    let progress = { hasRead: false, isComplete: false };
    while (!progress.isComplete && performance.now() < deadline) {
      const { hasRead } = progress;
      progress = await this.database.transaction((transaction) =>
        this.#markSliceOfAll(transaction, reader, hasRead),
      );
    }
    return progress.isComplete;
  }

  async #markSliceOfAll(transaction: Transaction, reader: RealmAccount, hasReadBefore: boolean) {
    const { userId, realmId } = reader;
    const slice = await this.repository.markSlice(transaction, userId, { of: 'all' });
    await this.#clearPhones(transaction, userId, slice.onScreen);
    const hasRead = hasReadBefore || slice.read.length > 0;
    // Behind this lock, every message whose event is before the one of this transaction is committed and visible.
    if (hasRead && !slice.isFull) await this.log.lockOrder(transaction, realmId);
    const isComplete =
      !slice.isFull && (!hasRead || !(await this.repository.hasUnread(transaction, userId)));
    if (isComplete && hasRead) this.events.allRead(transaction, reader);
    else this.#publishRead(transaction, reader, slice.read);
    return { hasRead, isComplete };
  }

  /** Whether an account has received one of the newest 10,000 messages of a topic. */
  async hasTopic(userId: number, channelId: number, topic: string): Promise<boolean> {
    return this.repository.hasTopic(userId, channelId, topic);
  }

  /** Waits for the messages of a sender that are being stored, and resolves with the id of the newest; 0 without any. */
  async newestFrom(senderId: number, session: Session): Promise<number> {
    return this.repository.newestFrom(senderId, session);
  }

  /** Waits for the messages of a sender that are being stored, and delays new ones until the end of the transaction. */
  async lockSender(transaction: Transaction, senderId: number): Promise<void> {
    await this.repository.lockSender(transaction, senderId);
  }

  async #publishAndClearPhones(
    transaction: Transaction,
    { userId, realmId, read, onScreen }: RealmAccount & Pick<ReadSlice, 'read' | 'onScreen'>,
  ): Promise<void> {
    this.#publishRead(transaction, { userId, realmId }, read);
    await this.#clearPhones(transaction, userId, onScreen);
  }

  #publishRead(
    transaction: Transaction,
    reader: RealmAccount,
    messageIds: readonly number[],
  ): void {
    this.events.flagChanged(transaction, reader, { flag: 'read', isSet: true, messageIds });
  }

  async #clearPhones(
    transaction: Transaction,
    userId: number,
    onScreen: readonly number[],
  ): Promise<void> {
    if (onScreen.length === 0) return;
    const messages = onScreen.map((messageId) => ({ userId, messageId }));
    await this.notifier.read(transaction, messages);
  }
}

const behind = (range: MessageRange, { last, isFull }: ReadSlice): MessageRange | null =>
  isFull && last !== null ? { ...range, after: last } : null;
