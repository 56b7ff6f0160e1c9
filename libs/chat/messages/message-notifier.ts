import type { Transaction } from '#platform/database';

/** The properties of a new message that decide who is notified of it. */
export interface NewMessage {
  readonly id: number;
  readonly senderId: number;
  /** Null for a direct message. */
  readonly channelId: number | null;
  /** The group through which the message mentions an account, by account; without accounts mentioned by name. */
  readonly mentionedVia: ReadonlyMap<number, number>;
  /** The number of recipients; left out for an edited message. */
  readonly recipientCount?: number;
  /** Only these recipients are notified, for an edited message; all if left out. */
  readonly onlyTo?: readonly number[];
}

/** A message that a user has read while a phone still showed its notification. */
export interface ReadOnScreen {
  readonly userId: number;
  readonly messageId: number;
}

/**
 * Sends push notifications of messages, and removes them.
 *
 * Each method stores the work in the given transaction, in one statement for each thousand people at most. It
 * resolves with a function that starts the work; the caller calls it after the commit. The function returns at once and
 * never throws. If it is not called, a sweeper finds the work later.
 */
export interface MessageNotifier {
  /** Notifies the recipients who want it, and marks their rows as notified. */
  stored(transaction: Transaction, message: NewMessage): Promise<() => void>;
  /** Removes the notifications of read messages from phones. Their rows must be marked as not notified before. */
  read(transaction: Transaction, messages: readonly ReadOnScreen[]): Promise<() => void>;
}

/** DI token of the MessageNotifier. */
export const MESSAGE_NOTIFIER = Symbol('MessageNotifier');
