import { Global, Injectable, Module } from '@nestjs/common';
import { NEW_ACCOUNT_HOOK, type NewAccountHook } from '#directory/users';
import { EventLogModule } from '#events/log';
import type { Transaction } from '#platform/database';
import { subscribeToDefaultChannels } from './default-channel.repository.js';
import { SubscriptionPeersRepository } from './subscription-peers.repository.js';
import { SubscriptionEvents } from './subscriptions.events.js';

@Injectable()
class DefaultSubscriptions implements NewAccountHook {
  constructor(private readonly events: SubscriptionEvents) {}

  async personAdded(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
  ): Promise<void> {
    await subscribeToDefaultChannels(transaction, realmId, userId);
    await this.events.peersAdded(transaction, { realmId, userIds: [userId] });
  }
}

/** The NewAccountHook of a program that adds accounts: it subscribes people to the default channels. Needs DatabaseModule. */
@Global()
@Module({
  imports: [EventLogModule],
  providers: [
    SubscriptionEvents,
    SubscriptionPeersRepository,
    { provide: NEW_ACCOUNT_HOOK, useClass: DefaultSubscriptions },
  ],
  exports: [NEW_ACCOUNT_HOOK],
})
export class DefaultSubscriptionsModule {}
