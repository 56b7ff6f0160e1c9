import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { channelErrors } from '../channels.errors.js';
import { NamedAccountsFinder } from './named-accounts-finder.js';
import type { AccountByReference, AccountReferences } from './named-channel.repository.js';
import { SubscribableChannels } from './subscribable-channels.js';
import { MAX_SUBSCRIPTIONS } from './subscribing.service.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';
import { SubscriptionStore } from './subscription-store.js';

/** The names of channels with and without an ended subscription. */
interface UnsubscribeResult {
  readonly removed: readonly string[];
  readonly notRemoved: readonly string[];
}

/** Ends subscriptions. A channel stays when its last subscriber leaves. */
@Injectable()
export class UnsubscribingService {
  constructor(
    private readonly subscribable: SubscribableChannels,
    private readonly accounts: NamedAccountsFinder,
    private readonly subscriptions: SubscriptionStore,
    private readonly database: Database,
  ) {}

  /**
   * Ends the subscriptions of the accounts to the channels. Rejects with `noSuchUser`, with `channelsDoNotExist` for channels
   * that do not exist or that the caller cannot see, and with `insufficientPermission` for other accounts.
   */
  async unsubscribe(
    caller: Caller,
    names: readonly string[],
    given: AccountReferences | null,
  ): Promise<UnsubscribeResult> {
    const accounts = await this.accounts.find(caller, given);
    if (names.length * accounts.length > MAX_SUBSCRIPTIONS) {
      throw new ApiError(channelErrors.tooManySubscriptions, { limit: MAX_SUBSCRIPTIONS });
    }
    const trimmed = names.map((name) => name.trim().replaceAll('\0', ''));
    return this.database.transaction((transaction) =>
      this.#unsubscribe(transaction, caller, trimmed, accounts),
    );
  }

  async #unsubscribe(
    transaction: Transaction,
    caller: Caller,
    names: readonly string[],
    accounts: readonly AccountByReference[],
  ): Promise<UnsubscribeResult> {
    await lockSubscriptions(transaction, caller.realm.id);
    const channels = await this.subscribable.findToLeave(transaction, caller, names, accounts);
    const change = { realmId: caller.realm.id, channels, accounts };
    const counts = await this.subscriptions.end(transaction, change);
    const namesWhere = (isListed: (count: number) => boolean) =>
      channels.filter(({ id }) => isListed(counts.get(id) ?? 0)).map(({ name }) => name);
    return {
      removed: namesWhere((count) => count > 0),
      notRemoved: namesWhere((count) => count < accounts.length),
    };
  }
}
