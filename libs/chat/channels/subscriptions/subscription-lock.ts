import { lockList, type Transaction } from '#platform/database';

/**
 * Delays other changes of the channels and subscriptions of an organisation until the end of the transaction. What a
 * transaction reads after it, for example the subscribers in an event, then agrees with the order of the events.
 */
export const lockSubscriptions = (transaction: Transaction, realmId: number): Promise<void> =>
  lockList(transaction, { table: 'subscriptions' }, realmId);
