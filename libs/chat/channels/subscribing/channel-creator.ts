import { Inject, Injectable } from '@nestjs/common';
import {
  type GroupSettingValue,
  PermissionHoldersRepository,
  SystemGroupRepository,
} from '#directory/groups';
import { isAdministrator, roleErrors, roles } from '#directory/roles';
import {
  ApiError,
  type Caller,
  isRowId,
  LIMITS,
  type Limits,
  limitErrors,
} from '#platform/contracts';
import type { Transaction } from '#platform/database';
import type { ChannelPermission } from '../channel-permission-table.rules.js';
import { chosenProperties, needsRole } from '../channel-property-table.rules.js';
import type { StoredChannel } from '../channel.repository.js';
import { ChannelEvents } from '../channels.events.js';
import { DefaultChannelRepository } from '../defaults/default-channel.repository.js';
import { channelErrors } from '../channels.errors.js';
import { requireChannelBytes } from '../channel-texts.js';
import { checkedHolders } from './permission-holders.rules.js';
import {
  type ChannelTraits,
  type NewChannel,
  NewChannelRepository,
} from './new-channel.repository.js';

/** The properties of new channels in a request. */
export interface ChannelPlan extends ChannelTraits {
  /** Whether public channels are announced. */
  readonly isAnnounced: boolean;
  /** Whether accounts that the caller subscribes get a message about it. */
  readonly tellsSubscribers: boolean;
  readonly permissions: Readonly<Partial<Record<ChannelPermission, GroupSettingValue>>>;
}

/** Creates channels. */
@Injectable()
export class ChannelCreator {
  constructor(
    private readonly channels: NewChannelRepository,
    private readonly holders: PermissionHoldersRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly defaults: DefaultChannelRepository,
    private readonly events: ChannelEvents,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'channels' | 'defaultChannels'>,
  ) {}

  /** Throws ApiError for a plan that the caller cannot carry out. */
  check(caller: Caller, plan: ChannelPlan): void {
    if (plan.isWebPublic) throw new ApiError(channelErrors.webPublicNotEnabled);
    const chosen = chosenProperties(plan);
    if (needsRole('administrator', chosen) && !isAdministrator(caller.role)) {
      throw new ApiError(roleErrors.insufficientPermission);
    }
    if (plan.isDefault && plan.isPrivate) throw new ApiError(channelErrors.defaultCannotBePrivate);
    if (needsRole('owner', chosen) && caller.role !== roles.owner) {
      throw new ApiError(roleErrors.mustBeOwner);
    }
  }

  /**
   * Creates channels with free names under the lock of `lockSubscriptions`; their creator administers them unless the plan
   * names others. Rejects with `invalidFolder`, with the errors of holders of permissions, and with
   * `organizationLimitReached`.
   */
  async create(
    transaction: Transaction,
    { userId, realm: { id: realmId } }: Caller,
    channels: readonly NewChannel[],
    plan: ChannelPlan,
  ): Promise<StoredChannel[]> {
    if (channels.length === 0) return [];
    const { folderId } = plan;
    await this.requireFolder(transaction, realmId, folderId);
    if (plan.isDefault) await this.requireDefaultRoom(transaction, realmId, channels.length);
    const systemGroups = await this.systemGroups.idsOf(realmId, transaction);
    const wanted = {
      canAdministerChannelId: { direct_members: [userId], direct_subgroups: [] },
      ...plan.permissions,
    };
    // The members of the plan are permissions; entries loses the type of the keys.
    const entries = Object.entries(wanted) as [ChannelPermission, GroupSettingValue][];
    const values = entries.map(([permission, value]) =>
      checkedHolders(permission, value, systemGroups),
    );
    const groupIds = await this.holders.store(transaction, realmId, values);
    const permissions = Object.fromEntries(
      entries.map(([permission], index) => [permission, groupIds[index]]),
    ) as Partial<Record<ChannelPermission, number>>;
    const limit = this.limits.channels;
    const creator = { realmId, creatorId: userId };
    const planned = { channels, traits: plan, permissions, limit };
    const created = await this.channels.create(transaction, creator, planned);
    if (created === null) {
      throw new ApiError(limitErrors.organizationLimitReached, { limit, what: 'channels' });
    }
    await requireChannelBytes(transaction, realmId);
    return created;
  }

  /** Adds the event of new default channels; runs after the events of the channels. */
  async publishDefaults(
    transaction: Transaction,
    { realm }: Caller,
    created: readonly StoredChannel[],
  ): Promise<void> {
    if (created.some(({ isDefault }) => isDefault)) {
      await this.events.defaultsChanged(transaction, realm.id);
    }
  }

  /** Rejects with `invalidFolder` for a folder that a channel cannot be put into; null means no folder. */
  async requireFolder(
    transaction: Transaction,
    realmId: number,
    folderId: number | null,
  ): Promise<void> {
    if (await this.isActiveFolder(transaction, realmId, folderId)) return;
    throw new ApiError(channelErrors.invalidFolder);
  }

  /** Whether a channel can be in a folder; null means no folder. It is not archived until the end of the transaction. */
  async isActiveFolder(
    transaction: Transaction,
    realmId: number,
    folderId: number | null,
  ): Promise<boolean> {
    if (folderId === null) return true;
    return isRowId(folderId) && this.channels.hasFolder(transaction, realmId, folderId);
  }

  /** Rejects with `organizationLimitReached` if so many further default channels are not possible. */
  async requireDefaultRoom(
    transaction: Transaction,
    realmId: number,
    count: number,
  ): Promise<void> {
    const limit = this.limits.defaultChannels;
    if (await this.defaults.hasRoomFor(transaction, realmId, count, limit)) return;
    throw new ApiError(limitErrors.organizationLimitReached, { limit, what: 'default channels' });
  }
}
