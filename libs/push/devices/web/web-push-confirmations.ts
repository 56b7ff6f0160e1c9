import type { Transaction } from '#platform/database';

/** A subscription that is to be confirmed. */
export interface UnconfirmedSubscription {
  readonly id: number;
  readonly userId: number;
  readonly realmId: number;
}

/** Sends the tokens of new subscriptions. */
export interface WebPushConfirmations {
  /** Accepts the push in the transaction, and enqueues it after the commit. */
  send(transaction: Transaction, subscription: UnconfirmedSubscription): Promise<void>;
}

/** DI token of the WebPushConfirmations. */
export const WEB_PUSH_CONFIRMATIONS = Symbol('WebPushConfirmations');
