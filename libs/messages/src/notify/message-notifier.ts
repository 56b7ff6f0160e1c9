import type { Session } from '#database';

/** A message that has just been stored, as far as it decides who is notified of it. */
export interface NewMessage {
  readonly id: number;
  readonly senderId: number;
  /** Null for a direct message. */
  readonly channelId: number | null;
  /** By the account, the group through which alone a message calls somebody. */
  readonly callingGroups: ReadonlyMap<number, number>;
}

/** A message that its reader has read while it was still notified on their phones. */
export interface ReadOnScreen {
  readonly userId: number;
  readonly messageId: number;
}

/**
 * Notifies people of messages on their phones, and takes that back.
 *
 * Each method writes down what is to be done in the transaction that made it necessary, a bounded number
 * of statements however many people it is about, and resolves with what begins the work once that
 * transaction has committed. That returns at once and never throws; should it not come to it, the work is
 * found and done later.
 */
export interface MessageNotifier {
  /** Notifies those who receive the message and want it; their rows say so from then on. */
  stored(session: Session, message: NewMessage): Promise<() => void>;
  /** Takes messages from the screens of those who have read them. The rows no more say that they are there. */
  read(session: Session, messages: readonly ReadOnScreen[]): Promise<() => void>;
}

/** DI token of the MessageNotifier. */
export const MESSAGE_NOTIFIER = Symbol('MessageNotifier');
