import { Global, Injectable, Module } from '@nestjs/common';
import {
  ACTIVATION_HOOK,
  type ActivationChange,
  type ActivationHook,
  NEW_ACCOUNT_HOOK,
  type NewAccountHook,
} from '#directory/users';
import {
  type ObjectPermissions,
  MEMBERSHIP_HOOK,
  type MembershipChange,
  type MembershipHook,
  UserGroupsModule,
} from '#directory/groups';
import { SETTINGS_HOOK } from '#directory/settings';
import { EventLogModule } from '#events/log';
import type { Transaction } from '#platform/database';
import { ChannelHolderEvents } from './visibility/channel-holders.events.js';
import { ChannelRowsModule } from './channel-rows.module.js';
import { ChannelViewers } from './visibility/channel-viewers.js';
import { ChannelVisibilityEvents } from './visibility/channel-visibility.events.js';
import { ChannelVisibilityRepository } from './visibility/channel-visibility.repository.js';
import { subscribeToDefaultChannels } from './defaults/default-channel.repository.js';
import { InheritedSettingsEvents } from './subscriptions/inherited-settings.events.js';
import { lockSubscriptions } from './subscriptions/subscription-lock.js';
import { SubscriptionPeersRepository } from './subscriptions/subscription-peers.repository.js';
import { SubscriptionEvents } from './subscriptions/subscriptions.events.js';

/** Subscribes new people to the default channels, and publishes subscribers who appear or disappear with their accounts. */
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

/** Publishes channels that members of groups gain or lose, and the permissions of groups. */
@Injectable()
class ChannelsOfGroups implements MembershipHook {
  constructor(
    private readonly events: ChannelVisibilityEvents,
    private readonly visibility: ChannelVisibilityRepository,
    private readonly holders: ChannelHolderEvents,
  ) {}

  changing(transaction: Transaction, change: MembershipChange): Promise<() => Promise<void>> {
    return this.events.changing(transaction, change);
  }

  permissionsOf(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
  ): Promise<ObjectPermissions[]> {
    const active = { withArchived: false };
    return this.visibility.permissionsOf(transaction, realmId, groupIds, active);
  }

  holdersChanged(
    transaction: Transaction,
    realmId: number,
    groupIds: readonly number[],
  ): Promise<void> {
    return this.holders.changed(transaction, realmId, groupIds);
  }
}

/**
 * The hooks of a program that changes accounts and groups: new people are subscribed to the default channels, other
 * accounts get events about the subscribers, members of groups about the channels that they may see, and subscribers about
 * the settings that their subscriptions inherit. Needs DatabaseModule.
 */
@Global()
@Module({
  imports: [ChannelRowsModule, EventLogModule, UserGroupsModule],
  providers: [
    ChannelViewers,
    ChannelVisibilityEvents,
    ChannelVisibilityRepository,
    SubscriptionEvents,
    SubscriptionPeersRepository,
    AccountSubscriptions,
    ChannelHolderEvents,
    ChannelsOfGroups,
    InheritedSettingsEvents,
    { provide: NEW_ACCOUNT_HOOK, useExisting: AccountSubscriptions },
    { provide: ACTIVATION_HOOK, useExisting: AccountSubscriptions },
    { provide: MEMBERSHIP_HOOK, useExisting: ChannelsOfGroups },
    { provide: SETTINGS_HOOK, useExisting: InheritedSettingsEvents },
  ],
  exports: [NEW_ACCOUNT_HOOK, ACTIVATION_HOOK, MEMBERSHIP_HOOK, SETTINGS_HOOK],
})
export class DefaultSubscriptionsModule {}
