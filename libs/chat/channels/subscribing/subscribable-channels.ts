import { Injectable } from '@nestjs/common';
import { GroupMembershipRepository, SystemGroupRepository } from '#directory/groups';
import { roleErrors } from '#directory/roles';
import { ApiError, type Caller } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { RealmPermissionRepository } from './realm-permission.repository.js';
import { hasMetadataAccess } from '../access/channel-access.rules.js';
import { resolveChannelPermissions } from '../channel-permission-table.rules.js';
import type { StoredChannel } from '../channel.repository.js';
import { channelErrors } from '../channels.errors.js';
import {
  type AccountByReference,
  type ChannelByName,
  NamedChannelRepository,
} from './named-channel.repository.js';
import { maySubscribe, maySubscribeOthers, mayUnsubscribeOthers } from './subscribing.rules.js';

interface ChannelRequest {
  readonly names: readonly string[];
  readonly isForOthers: boolean;
  readonly isStrict: boolean;
}

/** The channels of a request; the places are indexes of its names. */
interface Found {
  readonly channels: readonly { readonly place: number; readonly channel: StoredChannel }[];
  /** The names without a channel. */
  readonly missing: readonly number[];
  readonly unauthorized: readonly string[];
}

type Existing = Exclude<ChannelByName, { readonly id: null }>;

/** Finds the channels that a caller may subscribe accounts to, or unsubscribe accounts from. */
@Injectable()
export class SubscribableChannels {
  constructor(
    private readonly named: NamedChannelRepository,
    private readonly membership: GroupMembershipRepository,
    private readonly systemGroups: SystemGroupRepository,
    private readonly realmPermissions: RealmPermissionRepository,
  ) {}

  /**
   * Finds and locks the channels. Rejects with `channelNotAccessible` for one that the caller cannot subscribe to, if
   * strict, and with `insufficientPermission` where the caller may subscribe only themselves.
   */
  async find(transaction: Transaction, caller: Caller, wanted: ChannelRequest): Promise<Found> {
    const { userId, role, realm } = caller;
    const { names, isForOthers, isStrict } = wanted;
    await this.named.lock(transaction, realm.id, names);
    const found = await this.named.find(transaction, { realmId: realm.id, userId }, names);
    const groups = await this.membership.groupsOf(userId, transaction);
    const systemGroups = await this.systemGroups.idsOf(realm.id, transaction);
    const missing = found.flatMap(({ id, place }) => (id === null ? [place] : []));
    const existing = found
      .filter((one): one is Existing => one.id !== null)
      .map((channel) => ({
        channel,
        permissions: resolveChannelPermissions(channel, systemGroups),
        viewer: { role, groups, isSubscribed: channel.isSubscribed },
      }));
    const [allowed, refused] = [
      existing.filter(({ channel, permissions, viewer }) =>
        maySubscribe({ ...channel, ...permissions }, viewer),
      ),
      existing.filter(
        ({ channel, permissions, viewer }) => !maySubscribe({ ...channel, ...permissions }, viewer),
      ),
    ];
    const unauthorized = refused.map(({ channel }) => names[channel.place] ?? '');
    const [first] = unauthorized;
    if (isStrict && first !== undefined) {
      throw new ApiError(channelErrors.channelNotAccessible, { name: first });
    }
    if (isForOthers) {
      const groupId =
        (await this.realmPermissions.addSubscribersGroup(transaction, realm.id)) ??
        systemGroups['role:members'];
      const mayEverywhere = groups.has(groupId);
      const isAllowed = ({ permissions, viewer }: (typeof allowed)[number]) =>
        maySubscribeOthers(permissions, viewer, mayEverywhere);
      if (!allowed.every(isAllowed)) throw new ApiError(roleErrors.insufficientPermission);
    }
    const channels = allowed.map(({ channel }) => ({ place: channel.place, channel }));
    return { channels, missing, unauthorized };
  }

  /** Whether a channel has the name, without regard to case. */
  async isTaken(transaction: Transaction, realmId: number, name: string): Promise<boolean> {
    const found = await this.named.find(transaction, { realmId, userId: 0 }, [name]);
    return found.some(({ id }) => id !== null);
  }

  /**
   * Finds and locks the channels that the accounts leave. Rejects with `channelsDoNotExist` for channels that do not exist or
   * that the caller cannot see, and with `insufficientPermission` where the caller may unsubscribe only themselves and their
   * bots.
   */
  async findToLeave(
    transaction: Transaction,
    { userId, role, realm }: Caller,
    names: readonly string[],
    accounts: readonly AccountByReference[],
  ): Promise<StoredChannel[]> {
    await this.named.lock(transaction, realm.id, names);
    const found = await this.named.find(transaction, { realmId: realm.id, userId }, names);
    const groups = await this.membership.groupsOf(userId, transaction);
    const systemGroups = await this.systemGroups.idsOf(realm.id, transaction);
    const seen = found.map((channel) => {
      if (channel.id === null) return { place: channel.place, channel: null, mayForOthers: false };
      const guarded = { ...channel, ...resolveChannelPermissions(channel, systemGroups) };
      const viewer = { role, groups, isSubscribed: channel.isSubscribed };
      const mayForOthers = mayUnsubscribeOthers(guarded, viewer);
      const isSeen = hasMetadataAccess(guarded, viewer);
      return { place: channel.place, channel: isSeen ? channel : null, mayForOthers };
    });
    const unknown = seen.filter(({ channel }) => channel === null);
    if (unknown.length > 0) {
      const missing = unknown.map(({ place }) => names[place]).join(', ');
      throw new ApiError(channelErrors.channelsDoNotExist, { names: missing });
    }
    const isOwn = accounts.every(({ id, botOwnerId }) => id === userId || botOwnerId === userId);
    if (!isOwn && !seen.every(({ mayForOthers }) => mayForOthers)) {
      throw new ApiError(roleErrors.insufficientPermission);
    }
    return seen.flatMap(({ channel }) => channel ?? []);
  }
}
