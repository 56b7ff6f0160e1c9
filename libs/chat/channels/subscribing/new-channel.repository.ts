import { Injectable } from '@nestjs/common';
import { lockAndCheckRoom, type Transaction } from '#platform/database';
import {
  type ChannelPermission,
  channelPermissions,
  columnOfPermission,
} from '../channel-access.rules.js';
import { CHANNEL_COLUMNS, type StoredChannel } from '../channel.repository.js';

/** The values that new channels have in common. */
export interface ChannelTraits {
  readonly isPrivate: boolean;
  readonly isWebPublic: boolean;
  readonly isDefault: boolean;
  readonly isHistoryPublic: boolean | null;
  /** Null for the setting of the organisation; -1 for unlimited. */
  readonly messageRetentionDays: number | null;
  readonly topicsPolicy: string;
  readonly folderId: number | null;
  /** Whether new subscribers are notified on phones. */
  readonly isPushedByDefault: boolean;
}

/** The name of a new channel, and its description in Markdown. */
export interface NewChannel {
  readonly name: string;
  readonly description: string;
}

const CREATE = `
  INSERT INTO channels AS c (
    realm_id, name, description, creator_id, is_private, is_web_public, is_default, is_history_public,
    message_retention_days, topics_policy, folder_id, is_pushed_by_default,
    ${channelPermissions.map(columnOfPermission).join(', ')}
  )
  SELECT $1, given.name, given.description, $4, $5, $6, $7, $8, $9, $10, $11, $12,
    ${channelPermissions.map((_, index) => `$${index + 13}::int`).join(', ')}
  FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS given (name, description, place)
  ORDER BY given.place
  RETURNING ${CHANNEL_COLUMNS}`;

// The lock of the row keeps the folder from being archived before the channel is in it.
const HAS_FOLDER = `
  SELECT FROM channel_folders WHERE realm_id = $1 AND id = $2 AND archived_at IS NULL FOR SHARE`;

const channelsOfRealm = { table: 'channels', owner: 'realm_id' } as const;

/** Stores new channels. The names must be free, under the lock of `lockSubscriptions`. */
@Injectable()
export class NewChannelRepository {
  /** The channels in the order of their names in the request; null if the organisation would have more than `limit`. */
  async create(
    transaction: Transaction,
    { realmId, creatorId }: { readonly realmId: number; readonly creatorId: number },
    {
      channels,
      traits,
      permissions,
      limit,
    }: {
      readonly channels: readonly NewChannel[];
      readonly traits: ChannelTraits;
      readonly permissions: Readonly<Partial<Record<ChannelPermission, number>>>;
      readonly limit: number;
    },
  ): Promise<StoredChannel[] | null> {
    const room = limit - channels.length + 1;
    if (room < 1 || !(await lockAndCheckRoom(transaction, channelsOfRealm, realmId, room)))
      return null;
    return transaction.query<StoredChannel>('create_channels', CREATE, [
      realmId,
      channels.map(({ name }) => name),
      channels.map(({ description }) => description),
      creatorId,
      traits.isPrivate,
      traits.isWebPublic,
      traits.isDefault,
      traits.isHistoryPublic,
      traits.messageRetentionDays,
      traits.topicsPolicy,
      traits.folderId,
      traits.isPushedByDefault,
      ...channelPermissions.map((permission) => permissions[permission] ?? null),
    ]);
  }

  /** Whether the organisation has a folder that is not archived. */
  async hasFolder(transaction: Transaction, realmId: number, folderId: number): Promise<boolean> {
    const rows = await transaction.query('has_channel_folder', HAS_FOLDER, [realmId, folderId]);
    return rows.length > 0;
  }
}
