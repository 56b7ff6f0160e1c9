import { Injectable } from '@nestjs/common';
import { lockRealm } from '#directory/groups';
import { OperatorSettingsService, RealmsService } from '#directory/realms';
import { roleErrors, roles } from '#directory/roles';
import { EventLog } from '#events/log';
import { ApiError, type Caller, isRowId, type Realm } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { ChannelAccess } from '../access/channel-access.js';
import { channelErrors } from '../channels.errors.js';
import { lockSubscriptions } from '../subscriptions/subscription-lock.js';
import {
  RealmChannelRepository,
  type RealmChannelSetting,
  realmChannelSettings,
} from './realm-channel.repository.js';
import type { RealmChange } from './realm-settings.rules.js';

/** In place of a channel: none. */
const NO_CHANNEL = -1;

/** The channels that have a task in an organisation, and the settings that are changed together with them. */
@Injectable()
export class RealmSettingsService {
  constructor(
    private readonly channels: RealmChannelRepository,
    private readonly access: ChannelAccess,
    private readonly database: Database,
    private readonly log: EventLog,
    private readonly realms: RealmsService,
    private readonly operator: OperatorSettingsService,
  ) {}

  /**
   * Changes the organisation with the events, all or nothing. Rejects with `invalidChannelId` for a channel that is
   * archived or that the caller cannot see, with `moderationChannelNotPrivate`, and with `mustBeOwner`.
   */
  async change(caller: Caller, change: RealmChange): Promise<void> {
    if (change.message_retention_days !== undefined && caller.role !== roles.owner) {
      throw new ApiError(roleErrors.mustBeOwner);
    }
    for (const setting of realmChannelSettings) await this.#requireVisible(caller, change[setting]);
    await this.database.transaction((transaction) => this.set(transaction, caller.realm, change));
  }

  /** Does the same without the checks of the caller, for an operator. */
  async set(
    transaction: Transaction,
    realm: Pick<Realm, 'id' | 'subdomain'>,
    {
      moderation_request_channel_id,
      new_stream_announcements_stream_id,
      require_e2ee_push_notifications: requiresEncryptedPush,
      message_retention_days: retention,
      ...others
    }: RealmChange,
  ): Promise<void> {
    // Before the lock of the subscriptions, as in changes of groups and roles: each would wait for the other.
    await lockRealm(transaction, realm.id);
    const chosen = { moderation_request_channel_id, new_stream_announcements_stream_id };
    for (const setting of realmChannelSettings) {
      const value = chosen[setting];
      if (value !== undefined) await this.#set(transaction, realm.id, setting, value);
    }
    if (requiresEncryptedPush !== undefined) {
      await this.realms.setEncryptedPushRequired(
        transaction,
        realm.subdomain,
        requiresEncryptedPush,
      );
    }
    if (retention !== undefined) {
      const days = retention === 'unlimited' ? null : retention;
      await this.realms.setMessageRetention(transaction, realm.id, days);
    }
    await this.operator.change(transaction, realm.id, others);
  }

  /** Ends the tasks of a channel that is archived, with the events. */
  async end(transaction: Transaction, realmId: number, channelId: number): Promise<void> {
    for (const setting of await this.channels.clear(transaction, realmId, channelId)) {
      this.#changed(transaction, realmId, setting, NO_CHANNEL);
    }
  }

  async #requireVisible(caller: Caller, channelId: number | undefined): Promise<void> {
    if (channelId === undefined || channelId === NO_CHANNEL) return;
    await this.access.require(caller, isRowId(channelId) ? channelId : 0, 'metadata');
  }

  async #set(
    transaction: Transaction,
    realmId: number,
    setting: RealmChannelSetting,
    value: number,
  ): Promise<void> {
    // An archiving of the channel waits, and then ends its task.
    await lockSubscriptions(transaction, realmId);
    const channelId = value === NO_CHANNEL ? null : value;
    if (channelId !== null) {
      const channel = await this.channels.find(transaction, realmId, channelId);
      if (channel === null) throw new ApiError(channelErrors.invalidChannelId);
      if (setting === 'moderation_request_channel_id' && !channel.isPrivate) {
        throw new ApiError(channelErrors.moderationChannelNotPrivate);
      }
    }
    if (await this.channels.set(transaction, realmId, setting, channelId)) {
      this.#changed(transaction, realmId, setting, value);
    }
  }

  #changed(
    transaction: Transaction,
    realmId: number,
    property: RealmChannelSetting,
    value: number,
  ): void {
    const body = { op: 'update', property, value };
    this.log.append(transaction, { realmId, type: 'realm', body, audience: { everyone: 'all' } });
  }
}
