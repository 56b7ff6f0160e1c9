import { Global, Injectable, Module } from '@nestjs/common';
import {
  ACTIVATION_HOOK,
  type ActivationChange,
  type ActivationHook,
  NEW_ACCOUNT_HOOK,
  type NewAccountHook,
} from '#directory/users';
import { EventLogModule } from '#events/log';
import type { Transaction } from '#platform/database';
import { ChannelAudienceRepository } from './channel-audience.repository.js';
import { subscribeToDefaultChannels } from './default-channel.repository.js';
import { lockSubscriptions } from './subscribing/subscription-lock.js';
import { SubscriptionPeersRepository } from './subscription-peers.repository.js';
import { SubscriptionEvents } from './subscriptions.events.js';

@Injectable()
class AccountSubscriptions implements NewAccountHook, ActivationHook {
  constructor(private readonly events: SubscriptionEvents) {}

  async personAdded(
    transaction: Transaction,
    { realmId, userId }: { readonly realmId: number; readonly userId: number },
  ): Promise<void> {
    await lockSubscriptions(transaction, realmId);
    await subscribeToDefaultChannels(transaction, realmId, userId);
    await this.events.peersAdded(transaction, { realmId, userIds: [userId] });
  }

  async activationChanged(
    transaction: Transaction,
    { isActive, ...peers }: ActivationChange,
  ): Promise<void> {
    await lockSubscriptions(transaction, peers.realmId);
    if (isActive) await this.events.peersAdded(transaction, peers);
    else await this.events.peersRemoved(transaction, peers);
  }
}

/**
 * The hooks of a program that adds, deactivates or reactivates accounts: people are subscribed to the default channels, and
 * other accounts get events about the subscribers. Needs DatabaseModule.
 */
@Global()
@Module({
  imports: [EventLogModule],
  providers: [
    ChannelAudienceRepository,
    SubscriptionEvents,
    SubscriptionPeersRepository,
    AccountSubscriptions,
    { provide: NEW_ACCOUNT_HOOK, useExisting: AccountSubscriptions },
    { provide: ACTIVATION_HOOK, useExisting: AccountSubscriptions },
  ],
  exports: [NEW_ACCOUNT_HOOK, ACTIVATION_HOOK],
})
export class DefaultSubscriptionsModule {}
