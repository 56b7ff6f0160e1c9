import { Global, Injectable, Module } from '@nestjs/common';
import { NEW_ACCOUNT_HOOK, type NewAccountHook } from '#directory/users';
import type { Transaction } from '#platform/database';
import { subscribeToDefaultChannels } from './default-channel.repository.js';

@Injectable()
class DefaultSubscriptions implements NewAccountHook {
  async personAdded(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
  ): Promise<void> {
    await subscribeToDefaultChannels(transaction, realmId, userId);
  }
}

/** The NewAccountHook of a program that adds accounts: it subscribes people to the default channels. */
@Global()
@Module({
  providers: [{ provide: NEW_ACCOUNT_HOOK, useClass: DefaultSubscriptions }],
  exports: [NEW_ACCOUNT_HOOK],
})
export class DefaultSubscriptionsModule {}
