import { Injectable } from '@nestjs/common';
import { EventLog } from '#events/log';
import { ApiError, type Caller, isRowId } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import { ChannelAccess } from '../channel-access.js';
import { channelErrors } from '../channels.errors.js';
import { lockSubscriptions } from '../subscribing/subscription-lock.js';
import {
  RealmChannelRepository,
  type RealmChannelSetting,
  realmChannelSettings,
} from './realm-channel.repository.js';

/** In place of a channel: none. */
const NO_CHANNEL = -1;

/** The channels for some tasks; `NO_CHANNEL` ends the task, and a missing member changes nothing. */
export type ChosenChannels = Readonly<Partial<Record<RealmChannelSetting, number | undefined>>>;

/** The channels that have a task in an organisation. */
@Injectable()
export class RealmChannelsService {
  constructor(
    private readonly channels: RealmChannelRepository,
    private readonly access: ChannelAccess,
    private readonly database: Database,
    private readonly log: EventLog,
  ) {}

  /**
   * Chooses channels with their events, all or none. Rejects with `invalidChannelId` for a channel that is archived or
   * that the caller may not see, and with `moderationChannelNotPrivate`.
   */
  async choose(caller: Caller, chosen: ChosenChannels): Promise<void> {
    const { realm } = caller;
    await this.database.transaction(async (transaction) => {
      // An archiving of the channel waits, and then ends its task.
      await lockSubscriptions(transaction, realm.id);
      for (const setting of realmChannelSettings) {
        const value = chosen[setting];
        if (value === undefined) continue;
        if (value !== NO_CHANNEL) await this.#check(caller, setting, value);
        const channelId = value === NO_CHANNEL ? null : value;
        if (await this.channels.set(transaction, realm.id, setting, channelId)) {
          this.#changed(transaction, realm.id, setting, value);
        }
      }
    });
  }

  /** Ends the tasks of a channel that is archived, with the events. */
  async end(transaction: Transaction, realmId: number, channelId: number): Promise<void> {
    for (const setting of await this.channels.clear(transaction, realmId, channelId)) {
      this.#changed(transaction, realmId, setting, NO_CHANNEL);
    }
  }

  async #check(caller: Caller, setting: RealmChannelSetting, channelId: number): Promise<void> {
    const id = isRowId(channelId) ? channelId : 0;
    const { channel } = await this.access.require(caller, id, 'metadata');
    if (channel.archivedAt !== null) throw new ApiError(channelErrors.invalidChannelId);
    if (setting === 'moderation_request_channel_id' && !channel.isPrivate) {
      throw new ApiError(channelErrors.moderationChannelNotPrivate);
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
