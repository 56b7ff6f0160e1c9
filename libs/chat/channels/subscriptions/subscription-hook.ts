import type { Transaction } from '#platform/database';

/** A channel and some accounts, for example those whose subscriptions begin together. */
export interface ChannelAccounts {
  readonly channelId: number;
  /** In ascending order. */
  readonly userIds: readonly number[];
}

/** Called for subscriptions that begin or end, so that a higher capability can keep its own rows. */
export interface SubscriptionHook {
  /** Runs in the transaction that begins the subscriptions. A rejection rolls it back. */
  begun(transaction: Transaction, subscribers: readonly ChannelAccounts[]): Promise<void>;
  /** Runs in the transaction that ends the subscriptions. A rejection rolls it back. */
  ended(transaction: Transaction, former: readonly ChannelAccounts[]): Promise<void>;
}

/** DI token of the SubscriptionHook; a program without one only changes the subscriptions. */
export const SUBSCRIPTION_HOOK = Symbol('SubscriptionHook');
