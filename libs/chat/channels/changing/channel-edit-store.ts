import { Injectable } from '@nestjs/common';
import {
  GroupSettingRepository,
  type GroupSettingValue,
  PermissionHoldersRepository,
  SystemGroupRepository,
} from '#directory/groups';
import { ApiError } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import {
  type ChannelPermission,
  channelPermissions,
  resolveChannelPermissions,
} from '../channel-permission-table.rules.js';
import type { StoredChannel } from '../channel.repository.js';
import { channelErrors } from '../channels.errors.js';
import { ChannelCreator } from '../subscribing/channel-creator.js';
import { checkedHolders } from '../subscribing/permission-holders.rules.js';
import { ChannelChangeRepository } from './channel-change.repository.js';
import { ChannelUnarchivingEvents } from './channel-unarchiving.events.js';

/** The new holders of a permission, and the ones that the client knows. */
interface HoldersEdit {
  readonly next: GroupSettingValue;
  readonly known: GroupSettingValue | undefined;
}

export type HoldersEdits = Readonly<Partial<Record<ChannelPermission, HoldersEdit>>>;

/** Checks and stores changes of locked channels. */
@Injectable()
export class ChannelEditStore {
  constructor(
    readonly channels: ChannelChangeRepository,
    private readonly creator: ChannelCreator,
    private readonly systemGroups: SystemGroupRepository,
    private readonly groupSettings: GroupSettingRepository,
    private readonly holders: PermissionHoldersRepository,
    private readonly unarchivings: ChannelUnarchivingEvents,
  ) {}

  /**
   * The channel with the new holders of its permissions, which are stored. Rejects with ApiError for a name that another
   * channel has, for a channel for reports that would be public, for topics that would not be allowed, for an unknown
   * folder, for a full list of default channels, and for holders that are unknown, not possible, or not the ones that the
   * client wants to replace.
   */
  async prepare(
    transaction: Transaction,
    stored: StoredChannel,
    changed: StoredChannel,
    edits: HoldersEdits,
  ): Promise<StoredChannel> {
    const { realmId, folderId } = changed;
    if (changed.name !== stored.name) {
      if (await this.channels.isTaken(transaction, stored, changed.name)) {
        throw new ApiError(channelErrors.channelNameInUse);
      }
    }
    if (stored.isPrivate && !changed.isPrivate) {
      if (await this.channels.isForReports(transaction, stored)) {
        throw new ApiError(channelErrors.moderationChannelNotPrivate);
      }
    }
    if (changed.topicsPolicy !== stored.topicsPolicy && hasNoTopics(changed)) {
      if (await this.channels.hasTopics(transaction, stored)) {
        throw new ApiError(channelErrors.channelHasTopics);
      }
    }
    if (changed.isDefault && changed.isPrivate) {
      throw new ApiError(channelErrors.defaultCannotBePrivate);
    }
    if (folderId !== stored.folderId)
      await this.creator.requireFolder(transaction, realmId, folderId);
    if (changed.isDefault && !stored.isDefault) {
      await this.creator.requireDefaultRoom(transaction, realmId, 1);
    }
    return { ...changed, ...(await this.#permissions(transaction, stored, edits)) };
  }

  /** Stores a prepared change, and deletes the groups without a name that held replaced permissions. */
  async store(
    transaction: Transaction,
    stored: StoredChannel,
    changed: StoredChannel,
  ): Promise<void> {
    await this.channels.store(transaction, changed);
    const replaced = channelPermissions.flatMap((permission) =>
      changed[permission] === stored[permission] ? [] : (stored[permission] ?? []),
    );
    if (replaced.length === 0) return;
    // Channels that one request created share a group. The lock of the subscriptions keeps other changes from using it.
    const unheld = await this.channels.unheld(transaction, stored.realmId, replaced);
    await this.holders.deleteNameless(transaction, unheld);
  }

  /** Brings a locked archived channel back, with its events. It leaves a folder that was archived meanwhile. */
  async revive(transaction: Transaction, archived: StoredChannel): Promise<StoredChannel> {
    const { realmId, folderId } = archived;
    const keepsFolder = await this.creator.isActiveFolder(transaction, realmId, folderId);
    const channel = { ...archived, folderId: keepsFolder ? folderId : null, archivedAt: null };
    await this.channels.store(transaction, channel);
    await this.unarchivings.unarchived(transaction, channel);
    return channel;
  }

  async #permissions(
    transaction: Transaction,
    stored: StoredChannel,
    edits: HoldersEdits,
  ): Promise<Partial<Record<ChannelPermission, number>>> {
    const given = channelPermissions.flatMap((permission) => {
      const edit = edits[permission];
      return edit === undefined ? [] : [{ permission, ...edit }];
    });
    if (given.length === 0) return {};
    const { realmId } = stored;
    const systemGroups = await this.systemGroups.idsOf(realmId, transaction);
    const current = resolveChannelPermissions(stored, systemGroups);
    const values = await this.groupSettings.valuesOf(Object.values(current), transaction);
    const valueOf = (permission: ChannelPermission) =>
      values.get(current[permission]) ?? current[permission];
    const checked = given.map(({ permission, next, known }) => {
      if (known !== undefined && !isSame(known, valueOf(permission))) {
        throw new ApiError(channelErrors.otherHolders);
      }
      return { permission, next: checkedHolders(permission, next, systemGroups) };
    });
    const changed = checked.filter(({ permission, next }) => !isSame(next, valueOf(permission)));
    const wanted = changed.map(({ next }) => next);
    const groupIds = await this.holders.store(transaction, realmId, wanted);
    return Object.fromEntries(
      changed.map(({ permission }, index) => [permission, groupIds[index]]),
    );
  }
}

const hasNoTopics = ({ topicsPolicy }: StoredChannel): boolean =>
  topicsPolicy === 'empty_topic_only';

/** Whether two values name the same holders, in any order. */
function isSame(one: GroupSettingValue, other: GroupSettingValue): boolean {
  if (typeof one === 'number' || typeof other === 'number') return one === other;
  return (
    isSameSet(one.direct_members, other.direct_members) &&
    isSameSet(one.direct_subgroups, other.direct_subgroups)
  );
}

const isSameSet = (one: readonly number[], other: readonly number[]): boolean => {
  const [left, right] = [new Set(one), new Set(other)];
  return left.size === right.size && [...left].every((id) => right.has(id));
};
