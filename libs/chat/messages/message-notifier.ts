import type { Transaction } from '#platform/database';

/** The properties of a new message that decide who is notified of it. */
export interface NewMessage {
  readonly id: number;
  readonly senderId: number;
  /** Null for a direct message. */
  readonly channelId: number | null;
  /** The group through which the message mentions an account, by account; without accounts mentioned by name. */
  readonly mentionedVia: ReadonlyMap<number, number>;
  readonly recipientCount: number;
}

/** A message whose mentions an edit has changed. */
export interface MessageEdit extends Omit<NewMessage, 'recipientCount'> {
  /** The accounts whose mentions have changed. */
  readonly changedFor: readonly number[];
  /** Those of them that the edit mentions and that were not mentioned before. */
  readonly addedFor: readonly number[];
}

/** Messages that have come to another place. */
export interface MovedMessages {
  /** In ascending order. */
  readonly messageIds: readonly number[];
  /** The accounts whose wishes differ between the places. */
  readonly userIds: readonly number[];
}

/** A message that a user has read while a phone still showed its notification. */
export interface ScreenRead {
  readonly userId: number;
  readonly messageId: number;
}

/**
 * Sends push notifications of messages, and removes them.
 *
 * Each method stores the work in the given transaction, in one statement for each thousand people at most, and starts
 * it after the commit. Nothing waits for the work. If it is not started, a sweeper finds it later.
 */
export interface MessageNotifier {
  /** Notifies the recipients who want it, and marks their rows as notified. */
  stored(transaction: Transaction, message: NewMessage): Promise<void>;
  /**
   * Decides again about an edited message: notifies the accounts whose mention was added, and takes the notification back from
   * those of the changed accounts that would not be notified now.
   */
  edited(transaction: Transaction, message: MessageEdit): Promise<void>;
  /** Decides again about messages that have come to another place. */
  moved(transaction: Transaction, messages: MovedMessages): Promise<void>;
  /** Removes the notifications of read messages from phones. Their rows must be marked as not notified before. */
  read(transaction: Transaction, messages: readonly ScreenRead[]): Promise<void>;
}

/** DI token of the MessageNotifier. */
export const MESSAGE_NOTIFIER = Symbol('MessageNotifier');
