import type { Transaction } from '#platform/database';

/** Accounts of a channel with subscriptions that began or ended together. */
export interface ChangedSubscribers {
  readonly channelId: number;
  /** In ascending order. */
  readonly userIds: readonly number[];
}

/** Called for subscriptions that begin or end, so that a higher capability can keep its own rows. */
export interface SubscriptionHook {
  /** Runs in the transaction that begins the subscriptions. A rejection rolls it back. */
  begun(transaction: Transaction, subscribers: readonly ChangedSubscribers[]): Promise<void>;
  /** Runs in the transaction that ends the subscriptions. A rejection rolls it back. */
  ended(transaction: Transaction, former: readonly ChangedSubscribers[]): Promise<void>;
}

/** DI token of the SubscriptionHook; a program without one only changes the subscriptions. */
export const SUBSCRIPTION_HOOK = Symbol('SubscriptionHook');
